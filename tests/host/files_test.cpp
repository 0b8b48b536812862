#include "packer/host/files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/folder_walk.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"
#include "tests/host/text_bytes.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(MemorySource, reads_within_its_bounds_only) {
  const auto data = text_bytes("0123456789");
  const MemorySource source("m", {data.begin(), data.end()});
  std::array<std::byte, 4> into;
  EXPECT_TRUE(source.read_at(6, into));
  EXPECT_EQ(into[3], std::byte{'9'});
  EXPECT_TRUE(source.read_at(10, std::span(into).first(0)));
  for (const uint64_t offset : {uint64_t{7}, uint64_t{10}, uint64_t{11}, UINT64_MAX - 1}) {
    const auto read = source.read_at(offset, into);
    ASSERT_FALSE(read) << offset;
    EXPECT_EQ(read.error().kind, ErrorKind::damaged);
  }
}

TEST(MemoryStream, ends_with_zero) {
  MemoryStream stream("m", "abc");
  std::array<std::byte, 2> into;
  EXPECT_EQ(*stream.read(into), 2U);
  EXPECT_EQ(*stream.read(into), 1U);
  EXPECT_EQ(*stream.read(into), 0U);
  EXPECT_EQ(*MemoryStream("m", "").read(into), 0U);
}

TEST(OpenSource, reads_a_file_and_refuses_what_is_none) {
  const TestFolder folder;
  const std::string path = folder.write("f", "content");
  const auto source = open_source(path);
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->size_bytes(), 7U);
  std::array<std::byte, 3> into;
  EXPECT_TRUE((*source)->read_at(4, into));
  EXPECT_FALSE((*source)->read_at(5, into));
  EXPECT_FALSE((*source)->read_at(UINT64_MAX, into));
  EXPECT_FALSE(open_source(folder.path()));
  EXPECT_FALSE(open_source(folder.path("none")));
  EXPECT_FALSE(open_stream(folder.path()));
}

TEST(OpenSource, a_file_that_shrank_meanwhile_is_damaged) {
  const TestFolder folder;
  const std::string path = folder.write("f", "content");
  const auto source = open_source(path);
  fs::resize_file(path, 2);
  std::array<std::byte, 5> into;
  const auto read = (*source)->read_at(0, into);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("cut short"));
}

TEST(ReadText, refuses_more_than_its_limit) {
  const TestFolder folder;
  const std::string path = folder.write("f", "12345");
  EXPECT_EQ(*read_text(path, 5), "12345");
  const auto long_text = read_text(path, 4);
  ASSERT_FALSE(long_text);
  EXPECT_EQ(long_text.error().kind, ErrorKind::damaged);
}

TEST(ReadText, gives_text_of_windows_programs_as_utf8) {
  const TestFolder folder;
  EXPECT_EQ(*read_text(folder.write("a", "\xef\xbb\xbf{}"), 99), "{}");
  EXPECT_EQ(*read_text(folder.write("b", std::string("\xff\xfe{\0}\0", 6)), 99), "{}");
}

TEST(WalkFolder, lists_files_by_path_byte_by_byte) {
  const TestFolder folder;
  for (const char* name : {"b", "a/z", "a.b", "a/b/c", "C", "\xC3\xA4"}) folder.write(name, "xy");
  const auto found = walk_folder(folder.path());
  ASSERT_TRUE(found);
  std::vector<std::string> paths;
  for (const FoundFile& file : *found) {
    paths.push_back(file.relative_path);
    EXPECT_EQ(file.size_bytes, 2U);
  }
  EXPECT_THAT(paths, ElementsAre("C", "a.b", "a/b/c", "a/z", "b", "\xC3\xA4"));
}

TEST(WalkFolder, follows_links_but_not_in_circles) {
  const TestFolder folder;
  folder.write("data/f", "x");
  fs::create_symlink("f", folder.path("data/link"));
  fs::create_directory_symlink("data", folder.path("again"));
  const auto found = walk_folder(folder.path());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 4U);
  EXPECT_EQ((*found)[1].relative_path, "again/link");
  EXPECT_TRUE((*found)[1].is_link);
  EXPECT_FALSE((*found)[2].is_link);
  fs::create_directory_symlink("..", folder.path("data/up"));
  const auto circle = walk_folder(folder.path());
  ASSERT_FALSE(circle);
  EXPECT_THAT(circle.error().message, HasSubstr("a link back to"));
}

TEST(VisitTree, tells_links_back_and_goes_on) {
  const TestFolder folder;
  folder.write("data/deep/f", "x");
  folder.write("data/z", "x");
  fs::create_directory_symlink("../..", folder.path("data/deep/up"));
  std::vector<std::string> found;
  std::vector<std::string> back;
  const auto visit = [&](const FoundFile& file) -> Result<void> {
    found.push_back(file.relative_path);
    return {};
  };
  const auto leads_back = [&](const std::string& link, const std::string&) -> Result<void> {
    back.push_back(link);
    return {};
  };
  EXPECT_TRUE(visit_tree(folder.path(), {.visit = visit, .leads_back = leads_back}));
  EXPECT_THAT(found, ElementsAre("data/deep/f", "data/z"));
  EXPECT_THAT(back, ElementsAre("data/deep/up"));
}

TEST(VisitTree, looks_into_no_folder_that_is_left_out) {
  const TestFolder folder;
  folder.write("data/deep/f", "x");
  folder.write("data/z", "x");
  std::vector<std::string> found;
  const auto visit = [&](const FoundFile& file) -> Result<void> {
    found.push_back(file.relative_path);
    return {};
  };
  EXPECT_TRUE(visit_tree(folder.path(), {.visit = visit, .skips = [](const std::string& below) {
                                           return below == "data/deep";
                                         }}));
  EXPECT_THAT(found, ElementsAre("data/z"));
}

TEST(WalkFolder, no_folder_is_an_error) {
  const TestFolder folder;
  EXPECT_FALSE(walk_folder(folder.path("none")));
}

TEST(WalkFolder, tells_links_that_lead_nowhere_and_passes_them_over) {
  const TestFolder folder;
  folder.write("file", "x");
  fs::create_symlink("nowhere", folder.path("dangling"));
  fs::create_symlink("itself", folder.path("itself"));
  fs::create_symlink("file/below", folder.path("through"));
  const auto found = walk_folder(folder.path());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ((*found)[0].relative_path, "file");
  std::vector<std::string> nowhere;
  const auto visited = visit_folder(folder.path(), [&](const FoundFile& file) -> Result<void> {
    if (file.leads_nowhere) nowhere.push_back(file.relative_path);
    return {};
  });
  EXPECT_TRUE(visited);
  EXPECT_THAT(nowhere, ElementsAre("dangling", "itself", "through"));
}

TEST(OpenSource, takes_regular_files_alone_and_does_not_wait) {
  const TestFolder folder;
  folder.make_pipe("pipe");
  for (const std::string& path :
       {folder.path("pipe"), std::string("/dev/zero"), folder.path(), std::string("-")}) {
    EXPECT_FALSE(open_source(path)) << path;
    EXPECT_FALSE(open_stream(path)) << path;
  }
  EXPECT_THAT(open_source(folder.path("pipe")).error().message, HasSubstr("found a pipe"));
  EXPECT_TRUE(open_piped_stream("/dev/zero"));
  const std::string file = folder.write("file", "x");
  EXPECT_TRUE(open_stream(file));
  EXPECT_THAT(open_stream(file + std::string("\0.png", 5)).error().message, HasSubstr("NUL"));
}

TEST(KindOfPath, tells_files_from_folders_and_others) {
  const TestFolder folder;
  const std::string path = folder.write("f", "");
  EXPECT_EQ(kind_of_path(path), PathKind::file);
  EXPECT_EQ(kind_of_path(folder.path()), PathKind::folder);
  EXPECT_EQ(kind_of_path(folder.path("none")), PathKind::missing);
  EXPECT_EQ(kind_of_path(path + "/x"), PathKind::missing);
  EXPECT_EQ(kind_of_path("/dev/null"), PathKind::other);
}

TEST(RemoveFile, of_none_is_no_error) {
  const TestFolder folder;
  EXPECT_TRUE(remove_file(folder.path("none")));
  folder.write("sub/f", "x");
  remove_empty_folder(folder.path("sub"));
  EXPECT_TRUE(fs::exists(folder.path("sub/f")));
  EXPECT_FALSE(remove_file(folder.path("sub")));
  EXPECT_TRUE(rename_path(folder.path("sub/f"), folder.path("g")));
  remove_empty_folder(folder.path("sub"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("g"));
}

}  // namespace
}  // namespace seekless

#include "packer/host/files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(MemorySource, reads_within_its_bounds_only) {
  const auto data = bytes("0123456789");
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

TEST(PendingFile, is_there_after_its_commit_and_not_before) {
  const TestFolder folder;
  auto file = PendingFile::create(folder.path("f"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append("he"));
  ASSERT_TRUE(file->append("llo"));
  ASSERT_TRUE(file->write_at(0, bytes("H")));
  EXPECT_FALSE(fs::exists(folder.path("f")));
  ASSERT_TRUE(file->commit());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("f"));
  EXPECT_EQ(*read_text(folder.path("f"), 100), "Hello");
}

TEST(PendingFile, without_a_commit_leaves_nothing_and_what_was_there) {
  const TestFolder folder;
  folder.write("f", "old");
  {
    auto file = PendingFile::create(folder.path("f"), 5000);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("new"));
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("f"));
  EXPECT_EQ(*read_text(folder.path("f"), 100), "old");
}

TEST(PendingFile, moves_without_leaving_anything) {
  const TestFolder folder;
  {
    auto first = *PendingFile::create(folder.path("a"));
    PendingFile moved = std::move(first);
    PendingFile second = *PendingFile::create(folder.path("b"));
    second = std::move(moved);
    ASSERT_TRUE(second.append("x"));
    ASSERT_TRUE(second.commit());
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(PendingFile, reserves_and_truncates) {
  const TestFolder folder;
  auto file = *PendingFile::create(folder.path("f"), 8192);
  ASSERT_TRUE(file.truncate(100));
  ASSERT_TRUE(file.commit(false));
  EXPECT_EQ(fs::file_size(folder.path("f")), 100U);
}

// In memory there is nothing but the cache to write to.
TEST(PendingFile, past_the_cache_takes_aligned_writes_and_others) {
  const TestFolder folder;
  for (const std::string& place : {folder.path("f"), std::string("/dev/shm/seekless-files-test")}) {
    alignas(4096) static std::array<char, 8192> page;
    page.fill('p');
    auto file = PendingFile::create(place);
    if (!file) continue;  // no such file system here
    file->bypass_cache();
    PendingFile moved = *std::move(file);
    ASSERT_TRUE(moved.write_at(4096, bytes({page.data(), 4096})));
    ASSERT_TRUE(moved.write_at(8192, bytes({page.data() + 1, 4096})));
    ASSERT_TRUE(moved.write_at(12288, bytes({page.data(), 100})));
    ASSERT_TRUE(moved.write_at(0, bytes("front")));
    ASSERT_TRUE(moved.commit());
    EXPECT_EQ(*read_text(place, 20000),
              "front" + std::string(4091, '\0') + std::string(8192 + 100, 'p'));
    fs::remove(place);
  }
}

TEST(PendingFile, refuses_what_it_could_not_replace_before_the_work) {
  const TestFolder folder;
  fs::create_directory(folder.path("sub"));
  EXPECT_FALSE(PendingFile::create(folder.path("sub")));
  EXPECT_FALSE(PendingFile::create(folder.path("none/f")));
  EXPECT_FALSE(PendingFile::create("/dev/null"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("sub"));
}

TEST(WalkFolder, lists_files_by_path_byte_by_byte) {
  const TestFolder folder;
  for (const char* name : {"b", "a/z", "a.b", "a/b/c", "B", "\xC3\xA4"}) folder.write(name, "xy");
  const auto found = walk_folder(folder.path());
  ASSERT_TRUE(found);
  std::vector<std::string> paths;
  for (const FoundFile& file : *found) {
    paths.push_back(file.relative_path);
    EXPECT_EQ(file.size_bytes, 2U);
  }
  EXPECT_THAT(paths, ElementsAre("B", "a.b", "a/b/c", "a/z", "b", "\xC3\xA4"));
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

TEST(WalkFolder, a_dangling_link_or_no_folder_is_an_error) {
  const TestFolder folder;
  EXPECT_FALSE(walk_folder(folder.path("none")));
  fs::create_symlink("nowhere", folder.path("link"));
  const auto found = walk_folder(folder.path());
  EXPECT_FALSE(found);
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

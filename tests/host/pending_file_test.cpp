#include "packer/host/pending_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"
#include "tests/host/text_bytes.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(PendingFile, is_there_after_its_commit_and_not_before) {
  const TestFolder folder;
  auto file = PendingFile::create(folder.path("f"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append("he"));
  ASSERT_TRUE(file->append("llo"));
  ASSERT_TRUE(file->write_at(0, text_bytes("H")));
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

// A file system in memory has only the cache to write to.
TEST(PendingFile, past_the_cache_takes_aligned_writes_and_others) {
  const TestFolder folder;
  for (const std::string& place : {folder.path("f"), std::string("/dev/shm/seekless-files-test")}) {
    alignas(4096) static std::array<char, 8192> page;
    page.fill('p');
    auto file = PendingFile::create(place);
    if (!file) continue;  // there is no such file system here
    file->bypass_cache();
    PendingFile moved = *std::move(file);
    ASSERT_TRUE(moved.write_at(4096, text_bytes({page.data(), 4096})));
    ASSERT_TRUE(moved.write_at(8192, text_bytes({page.data() + 1, 4096})));
    ASSERT_TRUE(moved.write_at(12288, text_bytes({page.data(), 100})));
    ASSERT_TRUE(moved.write_at(0, text_bytes("front")));
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

TEST(PendingFile, in_a_folder_of_new_files_replaces_one_beside_it) {
  EXPECT_EQ(place_of_new("a/.seekless-new/b"), "a/b");
  EXPECT_EQ(place_of_new(".seekless-new/b"), "./b");
  EXPECT_EQ(place_of_new("a/b"), "a/b");
  EXPECT_EQ(place_of_new("b"), "b");
}

TEST(PendingFile, two_of_one_path_have_nothing_in_common) {
  const TestFolder folder;
  auto first = *PendingFile::create(folder.path("f"));
  auto second = *PendingFile::create(folder.path("f"));
  ASSERT_TRUE(first.append("first"));
  ASSERT_TRUE(second.append("second"));
  ASSERT_TRUE(second.commit());
  EXPECT_EQ(*read_text(folder.path("f"), 100), "second");
  ASSERT_TRUE(first.commit());
  EXPECT_EQ(*read_text(folder.path("f"), 100), "first");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("f"));
}

}  // namespace
}  // namespace seekless

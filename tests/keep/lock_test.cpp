#include "packer/keep/lock.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/keep/generations.h"
#include "tests/content/test_folder.h"
#include "tests/plan/made_content.h"

namespace seekless {
namespace {

using testing::HasSubstr;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

LayoutLock small_lock() {
  MadeContent made(Sizes::log_normal, 12, 6'000'000, 1);
  Layout planned = made.layout(2, 2, 1 << 20);
  planned.packs[0].assets[2].alignment_bytes = 4096;
  LayoutLock lock = make_lock(place_layout(planned, made.hashed()), made.hashed());
  for (LockedPack& pack : lock.packs) pack.pack_id = 7;
  return lock;
}

struct LockFile : testing::Test {
  Result<LayoutLock> read(const std::string& text) {
    return read_lock(folder.write("layout.lock", text));
  }
  std::string written() {
    const std::string path = folder.path("written.lock");
    const auto done = write_lock(small_lock(), path);
    EXPECT_TRUE(done) << done.error().message;
    return bytes_of_file(path);
  }
  TestFolder folder;
};

TEST_F(LockFile, comes_back_as_it_was_written) {
  const LayoutLock lock = small_lock();
  const auto again = read(written());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, lock);
}

TEST_F(LockFile, comes_back_with_packs_that_stay) {
  LayoutLock lock = small_lock();
  lock.packs[0].pack_id = 0x0123456789abcdefU;
  lock.packs[0].dead = {lock.packs[0].assets.front()};
  lock.packs[0].assets.erase(lock.packs[0].assets.begin());
  lock.packs[1].role = PackRole::overlay;
  const std::string path = folder.path("staying.lock");
  ASSERT_TRUE(write_lock(lock, path));
  const std::string text = bytes_of_file(path);
  EXPECT_THAT(text, HasSubstr("\"version\": 2,"));
  const auto again = read(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, lock);
}

LayoutLock lock_with_changes() {
  LayoutLock lock = small_lock();
  lock.changes.extensions = {{"", {5, 0}}, {"png", {1000, 20}}, {"\"odd\"", {3, 3}}};
  lock.changes.judged = {.assets = 900, .loss = 81'000, .constant_loss = 90'000};
  return lock;
}

TEST_F(LockFile, comes_back_with_what_it_knows_of_changes) {
  const std::string path = folder.path("changes.lock");
  ASSERT_TRUE(write_lock(lock_with_changes(), path));
  EXPECT_THAT(bytes_of_file(path),
              HasSubstr("\n      {\"extension\":\"png\",\"seen\":1000,\"edited\":20}"));
  const auto again = read_lock(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, lock_with_changes());
}

TEST_F(LockFile, refuses_changes_that_no_build_counts) {
  const std::string path = folder.path("changes.lock");
  ASSERT_TRUE(write_lock(lock_with_changes(), path));
  const std::string text = bytes_of_file(path);
  const auto message_with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(text.find(from), from.size(), to);
    const auto lock = read(changed);
    return lock ? std::string() : lock.error().message;
  };
  EXPECT_THAT(message_with("\"edited\":20", "\"edited\":1001"), HasSubstr("than seen"));
  EXPECT_THAT(message_with("\"png\"", "\"\""), HasSubstr("twice"));
  EXPECT_THAT(message_with("\"seen\":1000", "\"seen\":1000000000000000"), HasSubstr("'seen'"));
  EXPECT_THAT(message_with("\"loss\":81000", "\"loss\":-1"), HasSubstr("loss"));
  EXPECT_THAT(message_with("\"judged\"", "\"judge\""), HasSubstr("judged"));
}

TEST_F(LockFile, that_has_something_dead_where_something_lives_is_refused) {
  LayoutLock lock = small_lock();
  lock.packs[0].dead = {lock.packs[0].assets.front()};
  lock.packs[0].dead[0].path = "zz/dead";
  lock.packs[0].dead[0].size_bytes += 1;
  const std::string path = folder.path("overlapping.lock");
  ASSERT_TRUE(write_lock(lock, path));
  EXPECT_FALSE(read_lock(path));
}

TEST_F(LockFile, of_nothing_comes_back) {
  const std::string path = folder.path("empty.lock");
  ASSERT_TRUE(write_lock({}, path));
  const auto again = read_lock(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, LayoutLock());
}

TEST_F(LockFile, has_a_line_for_each_asset_sorted_by_path) {
  const std::string text = written();
  size_t lines = 0;
  for (size_t at = 0; (at = text.find("\n        {\"path\":", at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, 12U);
}

TEST_F(LockFile, every_truncation_is_refused) {
  const std::string text = written();
  for (size_t size = 0; size + 2 < text.size(); ++size) {
    const auto lock = read(text.substr(0, size));
    ASSERT_FALSE(lock) << size;
    EXPECT_EQ(lock.error().kind, ErrorKind::damaged);
  }
}

TEST_F(LockFile, refuses_what_no_build_makes) {
  const std::string text = written();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    const auto lock = read(changed);
    EXPECT_FALSE(lock) << to;
    if (lock) return std::string();
    EXPECT_EQ(lock.error().kind, ErrorKind::damaged);
    return lock.error().message;
  };
  EXPECT_THAT(with("\"seekless\": \"lock\"", "\"seekless\": \"layout\""), HasSubstr("another"));
  EXPECT_THAT(with("\"version\": 2", "\"version\": 3"), HasSubstr("version 2"));
  EXPECT_THAT(with("\"id\": ", "\"no\": "), HasSubstr("id"));
  EXPECT_THAT(with("\"at\":[", "\"at\":[9999999,"), HasSubstr("pair"));
  EXPECT_THAT(with("\"hash\":\"", "\"hash\":\"x"), HasSubstr("hexadecimal"));
  EXPECT_THAT(with("\"block_bytes\": 1048576", "\"block_bytes\": 1048577"),
              HasSubstr("power of two"));
  EXPECT_THAT(with("\"data_offset\": ", "\"data_offset\": 1"), HasSubstr("4096"));
  EXPECT_THAT(with("\"set\":", "\"set\":77"), HasSubstr("scenario set"));
  EXPECT_THAT(with("\"kind\": \"", "\"kind\": \"x"), HasSubstr("a kind of pack"));
}

TEST_F(LockFile, of_a_merge_that_overlaps_says_what_to_do) {
  LayoutLock lock = small_lock();
  LockedPack& pack = lock.packs[0];
  pack.assets[1].place = pack.assets[0].place;
  ASSERT_TRUE(write_lock(lock, folder.path("merged.lock")));
  const auto read = read_lock(folder.path("merged.lock"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("one side's lock"));
}

TEST_F(LockFile, paths_of_todays_content_need_no_bytes_of_their_own) {
  const std::string path = folder.path("layout.lock");
  ASSERT_TRUE(write_lock(small_lock(), path));
  Content content;
  const PooledPath known = content.paths.add(small_lock().packs[0].assets[1].path);
  content.assets.push_back({.path = known, .place = {}});
  const auto read = read_lock(path, &content);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, small_lock());
  EXPECT_EQ(read->packs[0].assets[1].path.data(), known.data());
}

TEST(HashedContent, finds_by_path) {
  const MadeContent made(Sizes::equal, 20, 2000, 1);
  const HashedContent hashed = made.hashed();
  for (uint32_t i = 0; i < 20; ++i) EXPECT_EQ(hashed.find(made.content.assets[i].path), i);
  EXPECT_EQ(hashed.find("no such asset"), kNone);
}

}  // namespace
}  // namespace seekless

#include "packer/pack/pack_folder.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/pack/verify.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Files = std::map<std::string, std::string>;

// Makes the files of a set with these packs.
Files make_set(const std::vector<std::string>& packs, const std::string& content) {
  SetMaker set;
  for (const std::string& name : packs) {
    set.add_pack(name);
    set.add("path of " + name, content + name);
  }
  set.write();
  return files_in(set.folder());
}

class PackFolderTest : public testing::Test {
 protected:
  void put(const Files& files, const std::string& into) const {
    for (const auto& [name, bytes] : files) folder_.write("out/" + into + name, bytes);
  }
  std::string out() const { return folder_.path("out"); }

  TestFolder folder_;
  const Files old_set_ = make_set({"common", "gone"}, "old");
  const Files new_set_ = make_set({"common", "fresh"}, "new");
};

TEST_F(PackFolderTest, without_a_commit_nothing_remains) {
  {
    const auto folder = PackFolder::open(out());
    ASSERT_TRUE(folder);
    folder_.write("out/.seekless-new/common.skl", "half");
  }
  EXPECT_FALSE(fs::exists(out()));
  put(old_set_, "");
  {
    const auto folder = PackFolder::open(out());
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.write("out/.seekless-new/common.skl", "half");
  }
  EXPECT_TRUE(files_in(out()) == old_set_);
}

TEST_F(PackFolderTest, a_commit_puts_the_new_set_in_the_place_of_the_old) {
  put(old_set_, "");
  auto folder = PackFolder::open(out());
  ASSERT_TRUE(folder) << folder.error().message;
  put(new_set_, ".seekless-new/");
  ASSERT_TRUE(folder->commit());
  EXPECT_TRUE(files_in(out()) == new_set_);
  EXPECT_FALSE(fs::exists(out() + "/.seekless-new"));
}

TEST_F(PackFolderTest, killed_while_writing_leaves_the_old_set) {
  put(old_set_, "");
  put(new_set_, ".seekless-new/");
  folder_.write("out/.seekless-new/.seekless-1-2.tmp", "half");
  { ASSERT_TRUE(PackFolder::open(out())); }
  EXPECT_TRUE(files_in(out()) == old_set_);
}

// Once the mark is set, the next run completes the move, wherever the last one was killed.
TEST_F(PackFolderTest, killed_while_moving_becomes_the_new_set) {
  const std::vector<std::string> steps = {"catalog.skl", "common.skl", "fresh.skl"};
  for (size_t done = 0; done <= steps.size() + 1; ++done) {
    fs::remove_all(out());
    put(old_set_, "");
    put(new_set_, ".seekless-new/");
    folder_.write("out/.seekless-new/complete", "gone.skl\n");
    for (size_t i = 0; i < std::min(done, steps.size()); ++i)
      fs::rename(out() + "/.seekless-new/" + steps[i], out() + "/" + steps[i]);
    if (done > steps.size()) fs::remove(out() + "/gone.skl");
    // A reader that opens it now gets a whole set: the old one, or the new one once its catalog has
    // moved.
    const auto report = verify(out(), {});
    ASSERT_TRUE(report) << done;
    EXPECT_TRUE(report->damages.empty()) << done << ": " << report->damages.front().what;
    {
      const auto folder = PackFolder::open(out());
      ASSERT_TRUE(folder) << done << ": " << folder.error().message;
    }
    EXPECT_TRUE(files_in(out()) == new_set_) << done;
  }
}

TEST_F(PackFolderTest, refuses_what_is_not_a_pack_set) {
  const auto refused = [&](const std::string& what) {
    const auto folder = PackFolder::open(out());
    ASSERT_FALSE(folder);
    EXPECT_THAT(folder.error().message, HasSubstr(what));
  };
  folder_.write("out/notes.txt", "mine");
  refused("'notes.txt'");
  put(old_set_, "");
  refused("'notes.txt'");
  fs::remove(out() + "/notes.txt");
  folder_.write("out/sub/deep.skl", "mine");
  refused("'sub/deep.skl'");
  fs::remove_all(out());
  folder_.write("out/catalog.skl", "not a catalog");
  refused("an earlier pack set");
  fs::remove_all(out());
  folder_.write("out", "a file");
  refused("a folder");
}

TEST_F(PackFolderTest, never_removes_what_a_forged_catalog_calls_a_pack) {
  Files forged = old_set_;
  std::string& catalog = forged.at("catalog.skl");
  catalog.replace(catalog.find("gone.skl"), 8, "note.txt");
  catalog = Forge(catalog).sealed();
  forged.erase("gone.skl");
  put(forged, "");
  folder_.write("out/note.txt", "mine");
  auto folder = PackFolder::open(out());
  if (folder) {
    put(new_set_, ".seekless-new/");
    EXPECT_TRUE(folder->commit());
  }
  EXPECT_TRUE(fs::exists(out() + "/note.txt"));
}

TEST_F(PackFolderTest, never_removes_what_a_forged_mark_lists) {
  for (const char* victim : {"../victim.skl", "sub/victim.skl", "victim.txt"}) {
    fs::remove_all(out());
    put(old_set_, "");
    folder_.write(std::string("out/") + victim, "mine");
    folder_.write("out/.seekless-new/complete", std::string(victim) + "\n");
    EXPECT_FALSE(PackFolder::open(out())) << victim;
    EXPECT_TRUE(fs::exists(out() + "/" + victim)) << victim;
  }
}

TEST_F(PackFolderTest, never_follows_links_out_of_its_staging_folder) {
  folder_.write("elsewhere/complete", "");
  folder_.write("elsewhere/mine", "mine");
  put(old_set_, "");
  fs::create_directory_symlink(folder_.path("elsewhere"), out() + "/.seekless-new");
  EXPECT_FALSE(PackFolder::open(out()));
  fs::remove(out() + "/.seekless-new");
  fs::create_directory(out() + "/.seekless-new");
  fs::create_directory_symlink(folder_.path("elsewhere"), out() + "/.seekless-new/sub");
  EXPECT_FALSE(PackFolder::open(out()));
  EXPECT_TRUE(fs::exists(folder_.path("elsewhere/mine")));
  EXPECT_TRUE(fs::exists(folder_.path("elsewhere/complete")));
}

}  // namespace
}  // namespace seekless

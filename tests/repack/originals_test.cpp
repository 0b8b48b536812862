#include "packer/repack/originals.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "packer/content/content.h"
#include "packer/host/files.h"
#include "tests/content/test_folder.h"
#include "tests/content/vpk_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OriginalsTest : public testing::Test {
 protected:
  OriginalsTest() {
    folder_.write("home/a.zip", "old a");
    folder_.write("home/sub/b.zip", "old b");
  }

  std::string home() const { return folder_.path("home"); }
  std::string read(const std::string& name) const {
    return read_text(home() + "/" + name, 100).value();
  }

  void replace(const std::string& name, const std::string& text) const {
    auto originals = Originals::open(home());
    ASSERT_TRUE(originals) << originals.error().message;
    ASSERT_TRUE(originals->check_replaceable(name));
    const auto stamp = identity_of(home() + "/" + name);
    ASSERT_TRUE(stamp);
    ASSERT_TRUE(write_text(originals->stage(name).value(), text));
    const auto put =
        originals->put_in_place({{name, XXH3_64bits(text.data(), text.size()), *stamp}});
    ASSERT_TRUE(put) << put.error().message;
  }

  TestFolder folder_;
};

TEST_F(OriginalsTest, come_back_as_the_very_files_they_were) {
  const auto before = identity_of(home() + "/a.zip");
  replace("a.zip", "new a");
  replace("sub/b.zip", "new b");
  EXPECT_EQ(read("a.zip"), "new a");
  const auto report = restore_originals(home(), false);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->restored, ElementsAre("a.zip", "sub/b.zip"));
  EXPECT_EQ(read("sub/b.zip"), "old b");
  EXPECT_TRUE(identity_of(home() + "/a.zip")->is_same_file(*before));
  EXPECT_EQ(kind_of_path(home() + "/" + kOriginalsFolder), PathKind::missing);
  EXPECT_TRUE(restore_originals(home(), false)->restored.empty());
}

TEST_F(OriginalsTest, are_the_first_ones_however_often_an_archive_is_replaced) {
  replace("a.zip", "new");
  replace("a.zip", "newer");
  EXPECT_EQ(read("a.zip"), "newer");
  ASSERT_TRUE(restore_originals(home(), false));
  EXPECT_EQ(read("a.zip"), "old a");
}

TEST_F(OriginalsTest, do_not_replace_what_somebody_else_put_there) {
  replace("a.zip", "new a");
  folder_.write("home/a.zip", "an update");
  const auto refused = restore_originals(home(), false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("--force"));
  EXPECT_EQ(read("a.zip"), "an update");
  const auto forced = restore_originals(home(), true);
  ASSERT_TRUE(forced);
  EXPECT_EQ(read("a.zip"), "old a");
  EXPECT_EQ(read("a.zip.changed"), "an update");
}

TEST_F(OriginalsTest, know_an_archive_by_its_content_if_only_its_time_changed) {
  replace("a.zip", "new a");
  std::filesystem::last_write_time(
      home() + "/a.zip", std::filesystem::file_time_type::clock::now() + std::chrono::hours(5));
  EXPECT_TRUE(restore_originals(home(), false));
}

TEST_F(OriginalsTest, of_an_archive_that_is_gone_come_back) {
  replace("a.zip", "new a");
  std::filesystem::remove(home() + "/a.zip");
  ASSERT_TRUE(restore_originals(home(), false));
  EXPECT_EQ(read("a.zip"), "old a");
  replace("a.zip", "new a");
  std::filesystem::remove(home() + "/a.zip");
  const auto originals = Originals::open(home());
  EXPECT_FALSE(originals->bring_back_missing());
  EXPECT_EQ(read("a.zip"), "old a");
}

TEST_F(OriginalsTest, that_are_damaged_replace_nothing) {
  replace("a.zip", "new a");
  replace("sub/b.zip", "new b");
  folder_.write("home/.seekless-originals/files/a.zip", "olx a");
  const auto refused = restore_originals(home(), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::damaged);
  EXPECT_THAT(refused.error().message, HasSubstr("a.zip"));
  EXPECT_EQ(read("a.zip"), "new a");
  EXPECT_EQ(read("sub/b.zip"), "new b");
  const auto forced = restore_originals(home(), true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_THAT(forced->lost, ElementsAre("a.zip"));
  EXPECT_THAT(forced->restored, ElementsAre("sub/b.zip"));
  EXPECT_EQ(read("a.zip"), "new a");
  EXPECT_EQ(read(".seekless-originals/files/a.zip"), "olx a");
}

TEST_F(OriginalsTest, that_are_gone_are_missed_unless_they_are_back_already) {
  replace("a.zip", "new a");
  replace("sub/b.zip", "new b");
  const std::string kept = home() + "/.seekless-originals/files/";
  // A run that was killed leaves this state.
  std::filesystem::rename(kept + "a.zip", home() + "/a.zip");
  std::filesystem::remove(kept + "sub/b.zip");
  const auto refused = restore_originals(home(), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::damaged);
  EXPECT_THAT(refused.error().message, HasSubstr("sub/b.zip"));
  const auto forced = restore_originals(home(), true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_THAT(forced->lost, ElementsAre("sub/b.zip"));
  EXPECT_EQ(read("sub/b.zip"), "new b");
}

TEST_F(OriginalsTest, that_are_dropped_are_not_missed) {
  replace("a.zip", "new a");
  replace("sub/b.zip", "new b");
  ASSERT_TRUE(discard_originals(home()));
  EXPECT_TRUE(restore_originals(home(), false));
  EXPECT_EQ(read("a.zip"), "new a");
}

TEST_F(OriginalsTest, keep_a_second_run_out) {
  const auto first = Originals::open(home());
  ASSERT_TRUE(first);
  const auto second = Originals::open(home());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("locked"));
  EXPECT_FALSE(restore_originals(home(), true));
}

TEST_F(OriginalsTest, with_a_link_that_was_made_and_no_journal_are_the_archives_still) {
  std::filesystem::create_directories(folder_.path("home/.seekless-originals/files"));
  std::filesystem::create_hard_link(home() + "/a.zip", home() + "/.seekless-originals/files/a.zip");
  const auto report = restore_originals(home(), false);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->unchanged, ElementsAre("a.zip"));
  EXPECT_EQ(read("a.zip"), "old a");
}

TEST_F(OriginalsTest, reached_by_links_are_refused) {
  std::filesystem::create_directories(folder_.path("elsewhere/files"));
  folder_.write("elsewhere/files/a.zip", "evil");
  std::filesystem::create_directory_symlink(folder_.path("elsewhere"),
                                            home() + "/" + kOriginalsFolder);
  EXPECT_FALSE(restore_originals(home(), true));
  EXPECT_EQ(read("a.zip"), "old a");
}

TEST_F(OriginalsTest, with_a_damaged_journal_are_left_where_they_are) {
  replace("a.zip", "new a");
  const std::string journal = folder_.path("home/.seekless-originals/journal");
  const std::string whole = read_text(journal, 1000).value();
  for (const std::string& bad : {std::string("x"), whole + "zz 1 1 a\n", whole + "00 1 1 ../a\n"}) {
    folder_.write("home/.seekless-originals/journal", bad);
    const auto report = restore_originals(home(), false);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::damaged);
    EXPECT_EQ(read(".seekless-originals/files/a.zip"), "old a");
  }
}

// A set in home/mod: a directory of version 1, which keeps its length when it is rewritten, and the
// part that it names.
class OriginalsOfSetsTest : public testing::Test {
 protected:
  OriginalsOfSetsTest() {
    folder_.write("home/mod/x_dir.vpk", naming(0));
    folder_.write("home/mod/x_000.vpk", "data");
  }

  // Returns a directory whose only entry lies in this part.
  static std::string naming(uint16_t part, const std::string& entry = "a") {
    return built_directory_1({{entry, part, 0, 4}});
  }

  std::string home() const { return folder_.path("home"); }
  std::string mod() const { return folder_.path("home/mod"); }
  std::string directory() const { return read_text(mod() + "/x_dir.vpk", 1000).value(); }
  static std::string part_name(uint16_t part) { return "x_00" + std::to_string(part) + ".vpk"; }
  bool has_part(uint16_t part) const {
    return kind_of_path(mod() + "/" + part_name(part)) == PathKind::file;
  }

  // Replaces the directory by one that names a new part. `front` leads from the home to the set.
  void replace(const std::string& home, const std::string& front, uint16_t part) const {
    auto originals = Originals::open(home);
    ASSERT_TRUE(originals) << originals.error().message;
    const std::string name = front + "x_dir.vpk";
    const std::string text = naming(part);
    const std::string staged = originals->stage(name).value();
    ASSERT_TRUE(write_text(staged, text));
    ASSERT_TRUE(write_text(originals->stage(front + part_name(part)).value(), "data"));
    const auto stamp = identity_of(home + "/" + name);
    ASSERT_TRUE(stamp);
    const AddedFile added = {part_name(part), XXH3_64bits("data", 4), 4};
    const auto put =
        originals->put_in_place({{name, XXH3_64bits(text.data(), text.size()), *stamp, {added}}});
    ASSERT_TRUE(put) << put.error().message;
    ASSERT_TRUE(originals->close());
  }

  // Replaces a file by another one of the same length and time.
  void write_with_time(const std::string& name, const std::string& text) const {
    const auto time = std::filesystem::last_write_time(mod() + "/" + name);
    ASSERT_EQ(std::filesystem::file_size(mod() + "/" + name), text.size());
    folder_.write("home/mod/" + name, text);
    std::filesystem::last_write_time(mod() + "/" + name, time);
  }

  TestFolder folder_;
};

TEST_F(OriginalsOfSetsTest, come_back_and_their_new_parts_go) {
  replace(mod(), "", 1);
  EXPECT_EQ(directory(), naming(1));
  EXPECT_TRUE(has_part(1));
  ASSERT_TRUE(restore_originals(mod(), false));
  EXPECT_EQ(directory(), naming(0));
  EXPECT_FALSE(has_part(1));
  EXPECT_TRUE(has_part(0));
  EXPECT_EQ(kind_of_path(mod() + "/" + kOriginalsFolder), PathKind::missing);
}

TEST_F(OriginalsOfSetsTest, are_not_put_over_an_update_of_the_same_length_and_time) {
  replace(mod(), "", 1);
  write_with_time("x_dir.vpk", naming(0, "b"));
  EXPECT_FALSE(restore_originals(mod(), false));
  EXPECT_FALSE(Originals::open(mod())->check_replaceable("x_dir.vpk"));
  const auto forced = restore_originals(mod(), true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_THAT(forced->outdated, ElementsAre(mod() + "/x_dir.vpk.original"));
  EXPECT_EQ(directory(), naming(0, "b"));
  EXPECT_FALSE(has_part(1));
}

TEST_F(OriginalsOfSetsTest, that_are_gone_are_missed_although_ours_has_their_length_and_time) {
  const auto time = std::filesystem::last_write_time(mod() + "/x_dir.vpk");
  replace(mod(), "", 1);
  std::filesystem::last_write_time(mod() + "/x_dir.vpk", time);
  std::filesystem::remove(mod() + "/.seekless-originals/files/x_dir.vpk");
  const auto refused = restore_originals(mod(), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::damaged);
  EXPECT_TRUE(has_part(1));
}

TEST_F(OriginalsOfSetsTest, leave_parts_that_others_changed_without_changing_their_time) {
  replace(mod(), "", 1);
  write_with_time("x_001.vpk", "DATA");
  EXPECT_THAT(Originals::open(mod())->added_to("x_dir.vpk"), testing::IsEmpty());
  const auto report = restore_originals(mod(), false);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->changed_parts, ElementsAre("x_001.vpk"));
  EXPECT_EQ(read_text(mod() + "/x_001.vpk", 10).value(), "DATA");
}

TEST_F(OriginalsOfSetsTest, of_folders_in_each_other_come_back_last_first) {
  replace(home(), "mod/", 1);
  replace(mod(), "", 2);
  for (const bool force : {false, true}) EXPECT_FALSE(restore_originals(home(), force));
  EXPECT_EQ(directory(), naming(2));
  ASSERT_TRUE(restore_originals(mod(), false));
  EXPECT_EQ(directory(), naming(1));
  ASSERT_TRUE(restore_originals(home(), false));
  EXPECT_EQ(directory(), naming(0));
  EXPECT_FALSE(has_part(1));
  EXPECT_FALSE(has_part(2));
}

TEST_F(OriginalsOfSetsTest, that_were_dropped_may_come_back_from_elsewhere) {
  replace(mod(), "", 1);
  ASSERT_TRUE(discard_originals(mod()));
  ASSERT_TRUE(restore_originals(mod(), false));
  EXPECT_EQ(directory(), naming(1));
  EXPECT_TRUE(has_part(1));
  folder_.write("home/mod/x_dir.vpk", naming(0));  // as a launcher does that checks the game
  ASSERT_TRUE(restore_originals(mod(), false));
  EXPECT_FALSE(has_part(1));
  EXPECT_EQ(kind_of_path(mod() + "/" + kOriginalsFolder), PathKind::missing);
}

TEST_F(OriginalsOfSetsTest, forget_a_part_once_an_update_has_its_own_of_that_name) {
  replace(mod(), "", 1);
  folder_.write("home/mod/x_dir.vpk", naming(1, "b"));
  folder_.write("home/mod/x_001.vpk", "an update's");
  ASSERT_TRUE(restore_originals(mod(), true));
  EXPECT_EQ(read_text(mod() + "/x_001.vpk", 100).value(), "an update's");
  EXPECT_EQ(kind_of_path(mod() + "/" + kOriginalsFolder), PathKind::missing);
}

TEST_F(OriginalsOfSetsTest, that_were_dropped_let_earlier_parts_go_with_the_next_run) {
  replace(mod(), "", 1);
  ASSERT_TRUE(discard_originals(mod()));
  replace(mod(), "", 2);
  EXPECT_TRUE(has_part(1));  // the new original names it
  ASSERT_TRUE(discard_originals(mod()));
  EXPECT_FALSE(has_part(1));
  EXPECT_TRUE(has_part(2));
  EXPECT_EQ(directory(), naming(2));
}

TEST_F(OriginalsOfSetsTest, take_the_place_of_a_directory_that_was_cut) {
  replace(mod(), "", 1);
  const std::string cut = directory().substr(0, directory().size() - 5);
  folder_.write("home/mod/x_dir.vpk", cut);
  const auto refused = restore_originals(mod(), false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("--force keeps it under another name"));
  const auto forced = restore_originals(mod(), true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_THAT(forced->set_aside, ElementsAre(mod() + "/x_dir.vpk.changed"));
  EXPECT_EQ(directory(), naming(0));
  EXPECT_FALSE(has_part(1));
}

TEST_F(OriginalsOfSetsTest, do_not_come_back_without_their_parts) {
  replace(mod(), "", 1);
  for (const char* gone : {"/x_dir.vpk", "/x_000.vpk"}) std::filesystem::remove(mod() + gone);
  const auto refused = restore_originals(mod(), false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("x_000.vpk"));
  ASSERT_TRUE(Originals::open(mod())->bring_back_missing());
  EXPECT_EQ(kind_of_path(mod() + "/x_dir.vpk"), PathKind::missing);
  const auto forced = restore_originals(mod(), true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_THAT(forced->outdated, ElementsAre(mod() + "/x_dir.vpk.original"));
  EXPECT_EQ(kind_of_path(mod() + "/x_dir.vpk"), PathKind::missing);
  EXPECT_TRUE(has_part(1)) << "the directory may be missing only for a moment";
}

TEST_F(OriginalsOfSetsTest, are_kept_as_long_as_an_earlier_directory_is_in_place) {
  replace(mod(), "", 1);
  replace(mod(), "", 2);
  folder_.write("home/mod/x_dir.vpk", naming(1));
  for (const char* part : {"", "DATA"}) {
    if (*part != '\0') folder_.write("home/mod/x_001.vpk", part);
    const auto discarded = discard_originals(mod());
    ASSERT_FALSE(discarded);
    EXPECT_THAT(discarded.error().message, HasSubstr("x_001.vpk"));
  }
  ASSERT_TRUE(restore_originals(mod(), false));
  EXPECT_EQ(directory(), naming(0));
  EXPECT_TRUE(has_part(0));
}

}  // namespace
}  // namespace seekless

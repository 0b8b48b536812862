// Tests that files move within NTFS by its rules, keep their bytes at every moment, and stay where
// it refuses. What NTFS would answer is a double's.
#include "packer/place/internal/ntfs_mover.h"

#include <cerrno>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/interrupt.h"
#include "packer/place/place_plan.h"
#include "tests/place/ntfs_double.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr uint64_t kBytes = NtfsDouble::kClusterBytes;

class NtfsMoverTest : public testing::Test {
 protected:
  NtfsMoverTest() {
    disk_.use({0, 16});
    disk_.store("a", {{20, 3}, {40, 2}});
    disk_.store("b", {{60, 4}});
    disk_.store("c", {{30, 1}, {50, 1}, {35, 1}});
    for (uint64_t i = 16; i < 64; ++i)
      if (!disk_.is_used(i)) disk_.use({i, 1});
    for (const auto& [path, file] : disk_.files) before_[path] = disk_.contents_of(path);
  }
  // Files keep their bytes, whatever the test does.
  void TearDown() override {
    for (const auto& [path, contents] : before_) EXPECT_EQ(disk_.contents_of(path), contents);
  }

  std::vector<FileExtents> files(const std::vector<std::string>& paths) const {
    std::vector<FileExtents> found;
    for (const std::string& path : paths) found.push_back(disk_.extents_of(path));
    return found;
  }
  std::unique_ptr<ReservedRoom> reserve(const std::vector<std::string>& paths) const {
    auto room = mover_.reserve(files(paths));
    EXPECT_TRUE(room) << room.error().message;
    return *std::move(room);
  }
  // Returns true if the file was moved. Messages go to warnings_.
  bool move(const std::string& path) {
    warnings_.clear();
    const auto moved = reserve({path})->move(0);
    EXPECT_TRUE(moved) << moved.error().message;
    return moved && *moved;
  }
  void expect_stays(const std::string& path, const std::string& reason) {
    mover_ = make_ntfs_mover("C:/Games", disk_.opener(), warn_);  // has looked at no file yet
    const FileExtents before = disk_.extents_of(path);
    EXPECT_FALSE(move(path));
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr(reason)));
    EXPECT_EQ(disk_.extents_of(path).extents, before.extents);
  }

  NtfsDouble disk_{4000};
  std::vector<std::string> warnings_;
  Mover::Warn warn_ = [this](std::string_view text) { warnings_.emplace_back(text); };
  Mover mover_ = make_ntfs_mover("C:/Games", disk_.opener(), warn_);
  std::map<std::string, std::vector<uint32_t>> before_;
};

TEST_F(NtfsMoverTest, files_lie_one_after_the_other_where_it_was_foreseen) {
  const auto room = reserve({"c", "a", "b"});
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(*room->move(i));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(disk_.extents_of("c").extents, ElementsAre(Extent{0, 64 * kBytes, 5 * kBytes / 2}));
  EXPECT_THAT(disk_.extents_of("a").extents, ElementsAre(Extent{0, 67 * kBytes, 9 * kBytes / 2}));
  EXPECT_THAT(disk_.extents_of("b").extents, ElementsAre(Extent{0, 72 * kBytes, 7 * kBytes / 2}));
  EXPECT_THAT(room->places(),
              ElementsAre(disk_.extents_of("c").extents, disk_.extents_of("a").extents,
                          disk_.extents_of("b").extents));
}

TEST_F(NtfsMoverTest, the_order_of_before_comes_back) {
  ASSERT_EQ(*place_in_order(files({"c", "b", "a"}), mover_), 3u);
  ASSERT_EQ(*place_in_order(files({"a", "c", "b"}), mover_), 3u);
  const auto place = [&](const char* path) { return disk_.files.at(path).clusters.front(); };
  EXPECT_LT(place("a"), place("c"));
  EXPECT_LT(place("c"), place("b"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(NtfsMoverTest, rooms_differ_until_they_are_dropped) {
  const auto first = reserve({"a"});
  const auto places = first->places();
  {
    const auto second = reserve({"a"});
    const auto third = reserve({"a"});
    EXPECT_NE(second->places(), places);
    EXPECT_NE(third->places(), places);
    EXPECT_NE(third->places(), second->places());
  }
  const auto again = reserve({"a"});
  EXPECT_THAT(again->places().front(), ElementsAre(Extent{0, 69 * kBytes, 9 * kBytes / 2}));
  EXPECT_THAT(disk_.calls, IsEmpty());
}

TEST_F(NtfsMoverTest, without_a_large_hole_the_fewest_are_used) {
  disk_.use({64, 3936});
  for (const ClusterRun& hole : {ClusterRun{100, 5}, ClusterRun{200, 9}, ClusterRun{300, 3}})
    disk_.free(hole);
  const auto room = reserve({"c", "b", "a"});
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(*room->move(i));
  EXPECT_EQ(disk_.files.at("c").clusters, (std::vector<uint64_t>{100, 101, 102}));
  EXPECT_THAT(disk_.extents_of("b").extents, ElementsAre(Extent{0, 200 * kBytes, 7 * kBytes / 2}));
  EXPECT_THAT(disk_.extents_of("a").extents, ElementsAre(Extent{0, 204 * kBytes, 9 * kBytes / 2}));
}

TEST_F(NtfsMoverTest, room_in_pieces_is_foreseen_in_pieces) {
  disk_.use({64, 3936});
  for (const ClusterRun& hole : {ClusterRun{100, 2}, ClusterRun{200, 1}, ClusterRun{300, 2}})
    disk_.free(hole);
  const auto room = reserve({"a"});
  EXPECT_TRUE(*room->move(0));
  EXPECT_EQ(room->places().front(), disk_.extents_of("a").extents);
  EXPECT_EQ(disk_.files.at("a").clusters, (std::vector<uint64_t>{100, 101, 200, 300, 301}));
}

TEST_F(NtfsMoverTest, the_zone_of_the_table_of_files_is_never_used) {
  disk_.zone = {64, 3936};
  disk_.free({16, 4});
  disk_.free({23, 7});
  const auto room = mover_.reserve(files({"a", "b", "c"}));
  ASSERT_FALSE(room);
  EXPECT_THAT(room.error().message, HasSubstr("12 free clusters"));
  EXPECT_THAT(room.error().message, HasSubstr("found 11"));
}

TEST_F(NtfsMoverTest, files_of_units_and_of_others_stay_and_say_why) {
  auto& attributes = disk_.files.at("b").attributes;
  attributes = {.is_compressed = true};
  expect_stays("b", "is compressed");
  attributes = {.is_sparse = true};
  expect_stays("b", "has holes");
  attributes = {.is_encrypted = true};
  expect_stays("b", "is encrypted");
  attributes = {.is_reparse_point = true};
  expect_stays("b", "is a link");
  attributes = {};
  disk_.files.at("b").hides_clusters = true;
  expect_stays("b", "compact /exe");
  EXPECT_THAT(disk_.calls, IsEmpty());
}

TEST_F(NtfsMoverTest, a_file_within_the_table_of_files_has_nothing_to_move) {
  disk_.store("small", {});
  EXPECT_TRUE(move("small"));
  EXPECT_THAT(disk_.calls, IsEmpty());
}

TEST_F(NtfsMoverTest, what_cannot_be_opened_stays) {
  for (const int os_error : {EBUSY, EACCES, EIO}) {
    disk_.files.at("a").open_error = os_error;
    expect_stays("a", "a: cannot open, found " + ntfs_error(os_error).text + "; it stays");
    EXPECT_THAT(warnings_.front(), Not(HasSubstr("held")));
  }
  EXPECT_THAT(disk_.calls, IsEmpty());
}

TEST_F(NtfsMoverTest, an_error_of_opening_never_ends_it) {
  const auto room = reserve({"a", "b"});
  disk_.files.at("a").open_error = EIO;
  EXPECT_FALSE(*room->move(0));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a: cannot open")));
  EXPECT_TRUE(*room->move(1));
}

TEST_F(NtfsMoverTest, files_that_stay_are_told_of_once_and_get_no_room) {
  disk_.files.at("b").attributes = {.is_compressed = true};
  const auto first = reserve({"a", "b", "c"});
  const auto second = reserve({"a", "b", "c"});
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("b: is compressed")));
  EXPECT_EQ(first->places()[1], disk_.extents_of("b").extents);
  EXPECT_THAT(first->places()[2], ElementsAre(Extent{0, 69 * kBytes, 5 * kBytes / 2}));
  EXPECT_TRUE(*first->move(0));
  EXPECT_FALSE(*first->move(1));
  EXPECT_TRUE(*first->move(2));
  EXPECT_THAT(warnings_, SizeIs(1));
}

TEST_F(NtfsMoverTest, what_moves_have_vacated_is_free_for_the_next_files) {
  disk_.use({69, 3931});
  EXPECT_TRUE(move("a"));
  EXPECT_TRUE(move("b"));  // where the first part of `a` and the second were
  EXPECT_EQ(disk_.files.at("b").clusters, (std::vector<uint64_t>{20, 21, 22, 40}));
}

TEST_F(NtfsMoverTest, what_others_took_since_the_last_files_is_not_free) {
  EXPECT_TRUE(move("c"));
  disk_.use({64, 100});
  EXPECT_THAT(reserve({"b"})->places().front(),
              ElementsAre(Extent{0, 164 * kBytes, 7 * kBytes / 2}));
}

TEST_F(NtfsMoverTest, clusters_that_were_freed_lately_are_waited_for_once) {
  disk_.use({64, 3936});
  disk_.free_until_checkpoint({100, 9});
  const auto room = reserve({"a", "b"});
  EXPECT_TRUE(*room->move(0));
  EXPECT_TRUE(*room->move(1));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(disk_.files.at("a").clusters.front(), 100u);
  EXPECT_EQ(disk_.files.at("b").clusters.front(), 105u);
  EXPECT_EQ(disk_.paused, std::chrono::seconds(6));
}

TEST_F(NtfsMoverTest, waiting_ends_with_the_run) {
  disk_.use({64, 3936});
  disk_.free_until_checkpoint({100, 5});
  disk_.on_pause = [] { set_interrupted(true); };
  EXPECT_THROW(static_cast<void>(reserve({"a"})->move(0)), Interrupted);
  set_interrupted(false);
  EXPECT_LT(disk_.paused, std::chrono::seconds(1));
}

TEST_F(NtfsMoverTest, to_try_whether_files_can_be_moved_one_part_of_the_bitmap_is_read) {
  EXPECT_TRUE(mover_.reserve({}));
  EXPECT_EQ(disk_.bitmap_parts, 1u);
  disk_.bitmap_error = EACCES;
  EXPECT_THAT(mover_.reserve({}).error().message, HasSubstr("Run as administrator"));
}

TEST_F(NtfsMoverTest, a_removed_file_is_told_of) {
  const auto room = reserve({"a", "b"});
  disk_.files.erase("a");
  before_.erase("a");
  EXPECT_FALSE(*room->move(0));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("stays where it is")));
  EXPECT_TRUE(*room->move(1));
}

TEST_F(NtfsMoverTest, a_file_that_was_written_meanwhile_stays) {
  const auto room = reserve({"a"});
  disk_.files.at("a").size_bytes -= 1;
  EXPECT_FALSE(*room->move(0));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is being written")));
  EXPECT_THAT(disk_.calls, IsEmpty());
}

TEST_F(NtfsMoverTest, a_held_file_stays_after_a_few_holes_and_the_others_move) {
  disk_.files.at("a").is_held = true;
  const auto room = reserve({"a", "b"});
  EXPECT_FALSE(*room->move(0));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("held in its place")));
  EXPECT_THAT(disk_.calls, SizeIs(5)) << "the first hole twice";
  EXPECT_TRUE(*room->move(1));
}

TEST_F(NtfsMoverTest, clusters_that_others_took_first_are_passed_over) {
  const auto room = reserve({"a", "b"});
  disk_.use({64, 1});
  EXPECT_TRUE(*room->move(0));
  EXPECT_TRUE(*room->move(1));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(disk_.extents_of("a").extents, SizeIs(1));
  EXPECT_EQ(disk_.files.at("b").clusters.front(), 69u);
  const auto next = reserve({"c"});
  EXPECT_THAT(next->places().front(), ElementsAre(Extent{0, 78 * kBytes, 5 * kBytes / 2}));
}

TEST_F(NtfsMoverTest, if_others_are_always_first_the_file_stays) {
  disk_.on_move = [&] {
    for (uint64_t i = 64; i < 4000; ++i)
      if (!disk_.is_used(i)) return disk_.use({i, 20});
  };
  expect_stays("a", "others take the free room first");
  EXPECT_THAT(disk_.calls, SizeIs(5)) << "the first hole twice";
}

TEST_F(NtfsMoverTest, of_a_file_moved_in_part_the_rest_stays) {
  int moves = 0;
  disk_.on_move = [&] { disk_.files.at("a").is_held = ++moves > 1; };
  EXPECT_FALSE(move("a"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the rest of it stays")));
}

TEST_F(NtfsMoverTest, a_full_or_failing_drive_ends_it) {
  for (const int os_error : {ENOSPC, EIO, EROFS}) {
    disk_.move_error = ntfs_error(os_error);
    const auto moved = reserve({"a"})->move(0);
    ASSERT_FALSE(moved);
    EXPECT_THAT(moved.error().message, HasSubstr("bytes are as they were"));
  }
  disk_.move_error = ntfs_error(EINVAL);
  expect_stays("a", "Invalid argument");
}

TEST_F(NtfsMoverTest, an_unknown_error_is_told_with_its_number_and_the_others_move) {
  const auto room = reserve({"a", "b"});
  disk_.move_error = {.os_error = 0, .text = "The file record is odd (error 1392)"};
  EXPECT_FALSE(*room->move(0));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("The file record is odd (error 1392); it stays")));
  disk_.move_error = {};
  EXPECT_TRUE(*room->move(1));
}

TEST_F(NtfsMoverTest, large_files_move_in_parts_and_stop_between_them) {
  NtfsDouble disk(40'000);
  disk.store("large", {{0, 10'000}});
  const auto contents = disk.contents_of("large");
  const Mover mover = make_ntfs_mover("C:/Games", disk.opener(), warn_);
  disk.on_move = [&] { set_interrupted(disk.calls.size() == 1); };
  EXPECT_THROW(static_cast<void>((*mover.reserve({disk.extents_of("large")}))->move(0)),
               Interrupted);
  set_interrupted(false);
  EXPECT_EQ(disk.contents_of("large"), contents);
  ASSERT_THAT(disk.calls, SizeIs(2));
  disk.on_move = nullptr;
  disk.calls.clear();
  EXPECT_TRUE(*(*mover.reserve({disk.extents_of("large")}))->move(0));
  for (const ClusterRun& call : disk.calls) EXPECT_LE(call.count * kBytes, 16u << 20);
  EXPECT_EQ(disk.contents_of("large"), contents);
}

TEST_F(NtfsMoverTest, whom_windows_does_not_let_is_told_to_be_an_administrator) {
  for (int* const error : {&disk_.volume_error, &disk_.layout_error, &disk_.bitmap_error}) {
    *error = EACCES;
    const auto room = mover_.reserve(files({"a"}));
    ASSERT_FALSE(room);
    EXPECT_THAT(room.error().message, HasSubstr("Run as administrator"));
    *error = 0;
  }
  EXPECT_TRUE(move("a"));
}

TEST_F(NtfsMoverTest, a_volume_that_cannot_move_clusters_is_refused) {
  for (const int os_error : {EINVAL, ENOTSUP}) {
    disk_.layout_error = os_error;
    EXPECT_THAT(mover_.reserve(files({"a"})).error().message, HasSubstr("found one that can't"));
  }
}

TEST_F(NtfsMoverTest, a_forecast_writes_nothing_and_warns_once_that_it_assumes_a_hole) {
  const FindRoom find = make_ntfs_room_finder("C:/Games", disk_.opener(), warn_);
  disk_.volume_error = EACCES;
  EXPECT_FALSE(find(files({"a"})));
  EXPECT_FALSE(find(files({"b"})));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("assumes free room in one piece")));
  disk_.volume_error = 0;
  const auto first = find(files({"a"}));
  const auto second = find(files({"b"}));
  EXPECT_THAT((*first)->places().front(), ElementsAre(Extent{0, 64 * kBytes, 9 * kBytes / 2}));
  EXPECT_THAT((*second)->places().front(), ElementsAre(Extent{0, 69 * kBytes, 7 * kBytes / 2}));
  EXPECT_THAT(disk_.calls, IsEmpty());
}

TEST_F(NtfsMoverTest, a_forecast_does_not_warn_if_only_more_rooms_than_one_are_not_there) {
  disk_.use({75, 3925});
  const FindRoom find = make_ntfs_room_finder("C:/Games", disk_.opener(), warn_);
  {
    const auto first = find(files({"a"}));
    const auto second = find(files({"a"}));
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(find(files({"a"})));
    EXPECT_THAT(warnings_, IsEmpty());
  }
  disk_.use({64, 11});
  EXPECT_FALSE(find(files({"a"})));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("found 0")));
}

// Makes volumes with files in pieces, and others who take clusters and hold files meanwhile.
class AnyVolume {
 public:
  explicit AnyVolume(uint32_t seed) : random_(seed) {
    disk_.zone = {below(500), below(100)};
    uint64_t at = 0;
    for (int number = 0; number < 12; ++number) {
      std::vector<ClusterRun> runs;
      for (uint64_t pieces = below(4); pieces > 0; --pieces) {
        at += below(9);
        runs.push_back({at, 1 + below(7)});
        at += runs.back().count;
      }
      std::ranges::shuffle(runs, random_);
      names_.push_back("file" + std::to_string(number));
      disk_.store(names_.back(), runs);
      contents_.push_back(disk_.contents_of(names_.back()));
    }
    disk_.on_move = [this] {
      if (below(6) == 0) take_some();
      if (below(9) == 0) hold_or_release(disk_.files.at(names_[below(names_.size())]));
    };
  }

  void place_all_in_any_order() {
    std::ranges::shuffle(names_, random_);
    std::vector<FileExtents> files;
    for (const std::string& name : names_) files.push_back(disk_.extents_of(name));
    const Mover mover = make_ntfs_mover("C:/", disk_.opener(), [](std::string_view) {});
    static_cast<void>(place_in_order(std::move(files), mover));
  }

  void check() const {
    std::set<uint64_t> places;
    for (const auto& [path, file] : disk_.files) {
      EXPECT_EQ(disk_.contents_of(path), contents_[std::stoul(path.substr(4))]);
      for (const uint64_t place : file.clusters) {
        EXPECT_TRUE(places.insert(place).second);
        EXPECT_TRUE(disk_.is_used(place));
      }
    }
  }
  size_t moves() const { return disk_.moves; }

 private:
  uint64_t below(uint64_t end) { return random_() % end; }
  static void hold_or_release(NtfsDouble::StoredFile& file) { file.is_held = !file.is_held; }
  void take_some() {
    for (int tries = 0; tries < 20; ++tries)
      if (const uint64_t at = below(700); !disk_.is_used(at)) return disk_.use({at, 1});
  }

  std::mt19937 random_;
  NtfsDouble disk_{700};
  std::vector<std::string> names_;
  std::vector<std::vector<uint32_t>> contents_;
};

TEST(NtfsMover, keeps_every_byte_whatever_others_do) {
  size_t moves = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    AnyVolume volume(seed);
    for (int times = 0; times < 3; ++times) volume.place_all_in_any_order();
    volume.check();
    moves += volume.moves();
  }
  EXPECT_GT(moves, 5000u);
}

}  // namespace
}  // namespace seekless

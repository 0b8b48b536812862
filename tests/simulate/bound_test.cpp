// Checks that no load takes less than the bound, whatever is read from whichever place: as the game
// reads, or from packs that hold the same bytes once or several times, compressed or not.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/simulate/pack_load.h"
#include "packer/simulate/replay.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

const std::vector<std::string> kDrives = {"wd-black-1tb", "laptop-5400", "toshiba-x300-4tb",
                                          "sata-ssd", "nvme-optane"};

// Gives the same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2654435769U + 1) {}
  uint64_t below(uint64_t end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 20) % end;
  }

 private:
  uint64_t state_;
};

DriveProfile drive_of(uint64_t number) {
  return find_profile(kDrives[number % kDrives.size()]).value();
}

// Replays one run of `reads` random reads of a few files at random places.
SimulatedLoad random_replay(uint64_t seed) {
  Numbers numbers(seed);
  const DriveProfile drive = drive_of(seed);
  Content content;
  std::vector<uint64_t> positions;
  for (uint64_t i = 0; i < 1 + numbers.below(4); ++i) {
    content.sources.push_back({.path = content.paths.add("/g/" + std::to_string(i)),
                               .size_bytes = 1 + numbers.below(3'000'000)});
    // Some reads are near the head, and some come one after the other.
    const uint64_t around =
        numbers.below(2) == 0 ? 500'000'000'000 : numbers.below(990'000'000'000);
    positions.push_back((around + numbers.below(1'000'000)) / kPageBytes * kPageBytes);
  }
  std::ranges::sort(positions);
  for (size_t i = 1; i < positions.size(); ++i)
    positions[i] = std::max(positions[i], positions[i - 1] + 3'006'464);
  SimulationOptions options;
  options.queue_depth = numbers.below(2) == 0 ? 1 : 8;
  BaselineReplay replay(content, {{drive, lying_at(files_of(content), positions)}}, options);
  replay.start_trace("load");
  for (const Source& source : content.sources)
    EXPECT_TRUE(replay.add_path(std::string(source.path)));
  for (uint64_t i = 0; i < 1 + numbers.below(60); ++i) {
    const auto file = static_cast<uint32_t>(numbers.below(content.sources.size()));
    EXPECT_TRUE(replay.add_event({.start_ns = static_cast<int64_t>(i),
                                  .offset_bytes = numbers.below(3'000'000),
                                  .length_bytes = 1 + numbers.below(200'000),
                                  .path = file,
                                  .thread = static_cast<uint32_t>(numbers.below(3))}));
  }
  replay.finish_trace();
  if (replay.runs().empty()) return {};  // all of it went past the ends
  return replay.runs().at("load")[0].loads[0];
}

TEST(Bound, no_replay_takes_less) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const SimulatedLoad load = random_replay(seed);
    ASSERT_GE(load.cost.seconds, load.bound_seconds * (1 - 1e-9)) << "seed " << seed;
    ASSERT_EQ(load.bound_seconds > 0, load.needed_bytes > 0) << "seed " << seed;
    ASSERT_GE(load.swept_seconds, load.bound_seconds * (1 - 1e-9)) << "seed " << seed;
  }
}

TEST(Bound, is_what_one_long_read_takes_but_for_half_a_turn) {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 50'000'000}};
  for (const uint64_t position : {uint64_t{0}, uint64_t{999'000'001'536}}) {
    const LyingFiles lying = lying_at(files_of(content), std::vector<uint64_t>{position});
    BaselineReplay replay(content, {{drive_of(0), lying}}, SimulationOptions{});
    replay.start_trace("load");
    ASSERT_TRUE(replay.add_path("/g/a"));
    ASSERT_TRUE(replay.add_event({.length_bytes = 50'000'000}));
    replay.finish_trace();
    const SimulatedLoad& load = replay.runs().at("load")[0].loads[0];
    EXPECT_NEAR(load.cost.seconds, load.bound_seconds, 0.0085) << "where it lies isn't order";
    EXPECT_NEAR(load.swept_seconds, load.cost.seconds, 0.005);
  }
}

// Ten pieces, read from the last to the first, with a hole of a kilobyte or of 10 MB between them.
TEST(Bound, what_is_swept_reads_through_small_gaps_and_jumps_over_large_ones) {
  for (const uint64_t gap_bytes : {uint64_t{1024}, uint64_t{10'000'000}}) {
    std::vector<DriveRead> needed;
    for (uint64_t i = 10; i > 0; --i) needed.push_back({i * (100'000 + gap_bytes), 100'000});
    const Drive drive(drive_of(0));
    const double reading_s = drive.sweep_ms(0, 10 * 100'000) / 1000;
    const double jumps = gap_bytes == 1024 ? 1 : 10;
    const double way_s = swept_seconds_of(drive, needed) - reading_s;
    EXPECT_GT(way_s, jumps * 0.004);
    EXPECT_LT(way_s, 0.01 + jumps * 0.008);
    std::ranges::reverse(needed);
    EXPECT_DOUBLE_EQ(swept_seconds_of(drive, needed), way_s + reading_s);
    needed.insert(needed.end(), needed.begin(), needed.end());
    EXPECT_DOUBLE_EQ(swept_seconds_of(drive, needed), way_s + reading_s) << "twice";
  }
}

// Makes a set of random sizes, many of them equal, that is swept and read on demand.
void expect_bound_of_packs(uint64_t seed, const PackWriteOptions& how) {
  Numbers numbers(seed);
  SetMaker maker(64 * 1024);
  const uint32_t menu = maker.add_scenario("menu");
  const uint32_t level = maker.add_scenario("level");
  std::vector<std::string> paths;
  for (const char* pack : {"one", "two"}) {
    maker.add_pack(pack);
    for (uint64_t i = 0; i < 1 + numbers.below(12); ++i) {
      const uint64_t bytes = numbers.below(200'000);
      // There are few kinds: equal content has one place.
      std::string text =
          numbers.below(2) == 0 ? std::string(bytes, 'z') : noise(40'000, numbers.below(3));
      paths.push_back(std::string(pack) + std::to_string(i));
      maker.add(
          paths.back(), std::move(text),
          numbers.below(2) == 0 ? std::vector<uint32_t>{menu} : std::vector<uint32_t>{menu, level});
    }
  }
  maker.write(how);
  const auto io = runtime::make_system_file_io();
  const DriveProfile drive = drive_of(seed);
  const auto files = files_of_set(*io, maker.folder()).value();
  const auto positions = place_files(files, {}, drive).value();
  const PacksOnDrive packs = {*io, maker.folder(), files, positions, drive};
  for (const char* scenario : {"menu", "level"}) {
    const auto swept = simulate_sweep(packs, scenario, {}, {});
    ASSERT_TRUE(swept) << swept.error().message;
    EXPECT_GE(swept->load.cost.seconds, swept->load.bound_seconds) << scenario << " " << seed;
  }
  const auto asked = simulate_demand(packs, "", paths, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_GE(asked->load.cost.seconds, asked->load.bound_seconds) << "on demand, " << seed;
}

TEST(Bound, no_load_from_packs_takes_less) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    expect_bound_of_packs(seed, {.threads = 1});
    expect_bound_of_packs(seed, {.codec = format::Codec::lz4, .threads = 1});
  }
}

}  // namespace
}  // namespace seekless

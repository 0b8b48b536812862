#include "packer/profile/profile_builder.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Entries stored in one archive.
struct ArchiveEntries {
  uint32_t source = 0;
  uint32_t header_bytes = 0;

  Asset zipped(PooledPath path, uint32_t entry, uint64_t header, uint64_t size) const {
    return {path,
            {.size_bytes = size,
             .stored_bytes = size,
             .header_offset_bytes = header,
             .header_bytes = header_bytes,
             .source = source,
             .entry = entry}};
  }
};

// Makes two loose files of 100 and 200 bytes, and an archive with two assets and an empty one.
Content small_content() {
  Content content;
  content.sources = {{.path = "/g/one", .size_bytes = 100},
                     {.path = "/g/two", .size_bytes = 200},
                     {.path = "/g/p.pk3",
                      .size_bytes = 1000,
                      .directory_offset_bytes = 800,
                      .kind = SourceKind::zip}};
  const ArchiveEntries in = {.source = 2, .header_bytes = 30};
  content.assets = {{"one", {.size_bytes = 100, .stored_bytes = 100, .source = 0}},
                    {"two", {.size_bytes = 200, .stored_bytes = 200, .source = 1}},
                    in.zipped("z/a", 0, 0, 170),
                    in.zipped("z/b", 1, 200, 270),
                    in.zipped("z/none", 2, 500, 0)};
  return content;
}

class ProfileBuilderTest : public testing::Test {
 protected:
  // Paths 0 to 3 are the three sources, and one file outside the content.
  void start(const std::string& name, const std::string& scenario) {
    builder_.start_trace(name, scenario);
    for (const char* path : {"/g/one", "/g/two", "/g/p.pk3", "/lib/c.so"})
      ASSERT_TRUE(builder_.add_path(path));
  }
  void read(uint32_t path, uint64_t offset, uint64_t length, int64_t at_ns = -1) {
    clock_ns_ = at_ns >= 0 ? at_ns : clock_ns_ + 10;
    ASSERT_TRUE(builder_.add_event(
        {.start_ns = clock_ns_, .offset_bytes = offset, .length_bytes = length, .path = path}));
  }

  const Content content_ = small_content();
  ProfileBuilder builder_{content_};
  int64_t clock_ns_ = 0;
};

TEST_F(ProfileBuilderTest, a_run_knows_how_long_it_waited_for_a_drive) {
  start("t", "menu");
  const auto timed = [&](int64_t start_ms, int64_t duration_us) {
    ASSERT_TRUE(builder_.add_event({.start_ns = start_ms * 1'000'000,
                                    .duration_ns = duration_us * 1000,
                                    .length_bytes = 100,
                                    .path = 0}));
  };
  timed(0, 10'000);
  timed(5, 10'000);   // half of it runs while the first is under way
  timed(30, 499);     // from memory, because no disk is as fast
  timed(40, 20'000);  // the last one ends at 60 ms
  builder_.finish_trace();
  const Profile profile = builder_.finish();
  EXPECT_EQ(profile.scenarios[0].runs[0].span_us, 60'000U);
  EXPECT_EQ(profile.scenarios[0].runs[0].waiting_us, 35'000U);
}

TEST_F(ProfileBuilderTest, assets_stand_in_the_order_they_were_first_read) {
  start("t", "menu");
  read(1, 0, 10);
  read(2, 240, 10);
  read(0, 0, 100);
  read(1, 50, 10);
  read(2, 40, 10);
  builder_.finish_trace();
  const Profile profile = builder_.finish();
  EXPECT_THAT(profile.assets, ElementsAre("two", "z/b", "one", "z/a"));
  ASSERT_EQ(profile.scenarios.size(), 1U);
  EXPECT_EQ(profile.scenarios[0].name, "menu");
  EXPECT_THAT(profile.scenarios[0].runs[0].assets, ElementsAre(0, 1, 2, 3));
}

TEST_F(ProfileBuilderTest, a_call_that_took_long_counts_from_its_start) {
  start("t", "menu");
  read(0, 0, 10, 100);
  read(1, 0, 10, 50);
  read(0, 10, 10, 20);
  builder_.finish_trace();
  EXPECT_THAT(builder_.finish().assets, ElementsAre("one", "two"));
}

TEST_F(ProfileBuilderTest, a_header_alone_counts_for_an_empty_asset_only) {
  start("t", "menu");
  read(2, 0, 30);
  read(2, 500, 30);
  builder_.finish_trace();
  EXPECT_THAT(builder_.finish().assets, ElementsAre("z/none"));
}

TEST_F(ProfileBuilderTest, reads_that_spill_over_do_not_count_for_neighbours) {
  start("t", "menu");
  read(2, 100, 200);  // the end of z/a, and the beginning of z/b
  builder_.finish_trace();
  EXPECT_THAT(builder_.finish().assets, testing::IsEmpty());
}

TEST_F(ProfileBuilderTest, spilling_reads_count_if_together_they_read_all) {
  start("t", "menu");
  read(2, 100, 200);
  read(2, 300, 250);  // the rest of z/b, and what lies after it
  builder_.finish_trace();
  EXPECT_THAT(builder_.finish().assets, ElementsAre("z/b", "z/none"));
}

TEST_F(ProfileBuilderTest, a_graze_does_not_tell_when_an_asset_was_read) {
  start("t", "menu");
  read(2, 100, 200);
  read(0, 0, 100);
  read(2, 300, 50);
  builder_.finish_trace();
  EXPECT_THAT(builder_.finish().assets, ElementsAre("one", "z/b"));
}

TEST_F(ProfileBuilderTest, marks_divide_a_trace_into_runs) {
  start("t", "rest");
  ASSERT_TRUE(builder_.add_mark({.scenario = "menu", .begins = true}));
  read(0, 0, 10);
  ASSERT_TRUE(builder_.add_mark({.scenario = "menu", .begins = false}));
  read(1, 0, 10);
  ASSERT_TRUE(builder_.add_mark({.scenario = "menu", .begins = true}));
  read(1, 0, 10);
  builder_.finish_trace();
  const Profile profile = builder_.finish();
  ASSERT_EQ(profile.scenarios.size(), 2U);
  EXPECT_EQ(profile.scenarios[0].name, "menu");
  EXPECT_EQ(profile.scenarios[0].runs.size(), 2U);
  EXPECT_EQ(profile.scenarios[1].name, "rest");
  EXPECT_THAT(profile.scenarios[1].runs[0].assets, ElementsAre(1));
}

TEST_F(ProfileBuilderTest, traces_of_one_scenario_are_its_runs) {
  for (const char* name : {"first", "second"}) {
    start(name, "menu");
    read(0, 0, 10);
    builder_.finish_trace();
  }
  start("third", "");
  ASSERT_TRUE(builder_.begin({.scenario = "menu"}));
  builder_.finish_trace();  // reads nothing: no run
  const Profile profile = builder_.finish();
  ASSERT_EQ(profile.scenarios.size(), 1U);
  ASSERT_EQ(profile.scenarios[0].runs.size(), 2U);
  EXPECT_EQ(profile.scenarios[0].runs[1].trace, "second");
}

TEST_F(ProfileBuilderTest, an_asset_called_by_its_own_path_counts_range_by_range) {
  builder_.start_trace("t", "menu");
  for (const char* path : {"z/b", "two", "z/a"}) ASSERT_TRUE(builder_.add_path(path));
  read(0, 100, 50);
  read(1, 0, kWholeFile);
  read(0, 0, 50);
  read(2, 150, 50);    // 30 of them lie beyond its end
  read(2, 1000, 100);  // all of them
  const Mapping mapping = builder_.finish_trace();
  EXPECT_EQ(mapping.read_bytes, 50U + 200 + 50 + 50 + 100);
  EXPECT_EQ(mapping.asset_bytes, 50U + 200 + 50 + 20);
  ASSERT_EQ(mapping.unmapped.size(), 1U);
  EXPECT_EQ(mapping.unmapped[0].path, "z/a");
  EXPECT_EQ(mapping.unmapped[0].bytes, 130U);
  EXPECT_THAT(builder_.finish().assets, ElementsAre("z/b", "two", "z/a"));
}

TEST_F(ProfileBuilderTest, tells_how_much_it_could_map) {
  start("t", "menu");
  read(0, 50, 100);  // half of it lies beyond the end
  read(2, 0, 1000);  // assets, gaps and directory
  read(3, 0, 300);   // outside
  read(3, 300, 300);
  read(1, 0, kWholeFile);  // reads 200 bytes
  read(2, 0, kWholeFile);  // doesn't say which assets were read
  const Mapping mapping = builder_.finish_trace();
  EXPECT_EQ(mapping.read_bytes, 100U + 1000 + 600 + 200 + 1000);
  EXPECT_EQ(mapping.asset_bytes, 50U + 200 + 300 + 30 + 200);
  EXPECT_EQ(mapping.directory_bytes, 200U);
  EXPECT_EQ(mapping.mapped_bytes(), 50U + 1000 + 200);
  ASSERT_EQ(mapping.unmapped.size(), 3U);
  EXPECT_EQ(mapping.unmapped[0].path, "/g/p.pk3");
  EXPECT_EQ(mapping.unmapped[1].path, "/lib/c.so");
  EXPECT_EQ(mapping.unmapped[1].bytes, 600U);
  EXPECT_EQ(mapping.unmapped[1].reads, 2U);
  EXPECT_EQ(mapping.unmapped[2].path, "/g/one");
}

TEST_F(ProfileBuilderTest, opens_and_empty_reads_count_for_nothing) {
  start("t", "menu");
  ASSERT_TRUE(builder_.add_event({.path = 0, .kind = EventKind::open}));
  read(0, 0, 0);
  read(0, UINT64_MAX - 5, 3);
  const Mapping mapping = builder_.finish_trace();
  EXPECT_THAT(builder_.finish().scenarios, IsEmpty());
  EXPECT_EQ(mapping.asset_bytes, 0U);
}

TEST_F(ProfileBuilderTest, runs_are_told_apart_by_numbers_whatever_traces_are_called) {
  for (int trace = 0; trace < 2; ++trace) {
    start("same", "boot");
    read(0, 0, 10);
    ASSERT_TRUE(builder_.add_mark({.time_ns = 0, .scenario = "map"}));
    read(1, 0, 10);
    builder_.finish_trace();
  }
  const Profile profile = builder_.finish();
  ASSERT_EQ(profile.scenarios.size(), 2U);
  std::vector<std::pair<uint32_t, uint32_t>> ids;
  for (const auto& scenario : profile.scenarios)
    for (const ProfiledRun& run : scenario.runs) ids.emplace_back(run.id.trace, run.id.part);
  EXPECT_THAT(ids, ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)));
}

// The order of reads and the names of traces don't change the profile.
TEST_F(ProfileBuilderTest, the_order_of_traces_changes_nothing) {
  const auto profile_of = [this](std::vector<std::pair<std::string, uint32_t>> traces) {
    ProfileBuilder builder(content_);
    for (const auto& [name, path] : traces) {
      builder.start_trace(name, name.substr(0, 1));
      for (const char* file : {"/g/one", "/g/two"}) EXPECT_TRUE(builder.add_path(file));
      EXPECT_TRUE(builder.add_event({.length_bytes = 9, .path = path}));
      builder.finish_trace();
    }
    Profile profile = builder.finish();
    for (ProfiledScenario& scenario : profile.scenarios)
      for (ProfiledRun& run : scenario.runs) run.id = {};
    return profile;
  };
  const Profile one = profile_of({{"b1", 1}, {"a1", 0}, {"a2", 1}});
  EXPECT_EQ(profile_of({{"a2", 1}, {"b1", 1}, {"a1", 0}}), one);
  EXPECT_THAT(one.assets, ElementsAre("one", "two"));
}

TEST_F(ProfileBuilderTest, names_of_assets_are_read_as_a_whole) {
  builder_.start_trace("list", "menu");
  for (const char* path : {"z/b", "../../one", "/g/p.pk3/z/a", "none"})
    ASSERT_TRUE(builder_.add_path(path));
  for (uint32_t path = 0; path < 4; ++path)
    ASSERT_TRUE(builder_.add_event({.start_ns = path, .length_bytes = kWholeFile, .path = path}));
  EXPECT_EQ(builder_.finish_trace().unmapped.size(), 1U);
  EXPECT_THAT(builder_.finish().assets, ElementsAre("z/b", "one", "z/a"));
}

// Makes two successive entries in an archive: 18,000 bytes from offset 50 on, and 100,000.
Content archive_of_two() {
  Content content;
  content.sources = {{.path = "/g/p.pk3",
                      .size_bytes = 130'000,
                      .directory_offset_bytes = 120'000,
                      .kind = SourceKind::zip}};
  const ArchiveEntries in = {.source = 0, .header_bytes = 50};
  content.assets = {in.zipped("first", 0, 0, 18'000), in.zipped("second", 1, 18'050, 100'000)};
  return content;
}

std::vector<std::string> needed_of(std::initializer_list<std::pair<uint64_t, uint64_t>> reads) {
  const Content content = archive_of_two();
  ProfileBuilder builder(content);
  builder.start_trace("t", "map");
  EXPECT_TRUE(builder.add_path("/g/p.pk3"));
  EXPECT_TRUE(builder.add_event({.path = 0, .kind = EventKind::open}));
  for (const auto& [offset, length] : reads)
    EXPECT_TRUE(builder.add_event({.offset_bytes = offset, .length_bytes = length, .path = 0}));
  builder.finish_trace();
  return builder.finish().assets;
}

TEST(PagesInAProfile, what_was_read_ahead_is_not_needed) {
  EXPECT_THAT(needed_of({{0, 4096}, {4096, 16384}, {20480, 32768}}), ElementsAre("first"));
  // A program's own reads do need it.
  EXPECT_THAT(needed_of({{0, 4096}, {4096, 16384}, {20480, 32760}}),
              ElementsAre("first", "second"));
}

TEST(PagesInAProfile, what_reads_began_in_is_needed) {
  EXPECT_THAT(needed_of({{16384, 4096}, {20480, 32768}}), ElementsAre("second"));
  EXPECT_THAT(needed_of({{65536, 4096}}), ElementsAre("second"));
}

TEST(PagesInAProfile, what_was_read_whole_is_needed) {
  EXPECT_THAT(needed_of({{0, 4096}, {4096, 16384}, {20480, 65536}, {86016, 32768}}),
              ElementsAre("first", "second"));
}

TEST(SearchesInAProfile, need_nothing_that_they_cover) {
  EXPECT_THAT(needed_of({{65'000, 65'000}, {50, 18'000}}), ElementsAre("first"));
  // A run of whole pages never comes back to what a search brought.
  EXPECT_THAT(needed_of({{61'440, 68'560}, {0, 61'440}}), ElementsAre("first", "second"));
}

TEST_F(ProfileBuilderTest, tells_scenarios_whose_names_can_be_none) {
  start("t", "ne\nw");
  ASSERT_TRUE(builder_.add_mark({.time_ns = 1, .scenario = "b\xff", .begins = true}));
  read(0, 0, 100);
  EXPECT_EQ(builder_.finish_trace().misnamed_scenario, "b\xff") << "the other has no reads";
  start("t", "menu");
  read(0, 0, 100);
  EXPECT_EQ(builder_.finish_trace().misnamed_scenario, std::nullopt);
}

TEST_F(ProfileBuilderTest, tells_files_of_the_content_that_were_larger) {
  start("t", "menu");
  read(0, 0, 150);
  read(2, 1000, 500);
  read(3, 0, 20);
  ASSERT_TRUE(builder_.add_event({.length_bytes = 4096, .path = 1, .kind = EventKind::map}));
  const Mapping mapping = builder_.finish_trace();
  ASSERT_EQ(mapping.unmapped.size(), 4U);
  for (const Mapping::Unmapped& one : mapping.unmapped)
    EXPECT_EQ(one.is_of_content, one.path == "/g/one" || one.path == "/g/p.pk3") << one.path;
}

}  // namespace
}  // namespace seekless

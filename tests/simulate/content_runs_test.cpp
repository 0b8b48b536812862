#include "packer/simulate/content_runs.h"

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

Content two_files() {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 100}, {.path = "/g/b", .size_bytes = 200}};
  return content;
}

TEST(ContentRuns, are_cut_sorted_and_clipped_and_numbered_whatever_they_are_called) {
  const Content content = two_files();
  KeptRuns runs(content);
  for (int trace = 0; trace < 2; ++trace) {
    runs.start_trace("same");
    for (const char* path : {"/other", "/g/b", "/g/a"}) ASSERT_TRUE(runs.add_path(path));
    ASSERT_TRUE(runs.add_event({.start_ns = 1, .length_bytes = 50, .path = 0}));
    ASSERT_TRUE(
        runs.add_event({.start_ns = 9, .offset_bytes = 150, .length_bytes = 80, .path = 1}));
    ASSERT_TRUE(runs.add_event({.start_ns = 5, .length_bytes = 10, .path = 2, .thread = 77}));
    ASSERT_TRUE(runs.add_mark({.time_ns = 10, .scenario = "map"}));
    ASSERT_TRUE(runs.add_mark({.time_ns = 11, .scenario = "map", .begins = false}));
    ASSERT_TRUE(runs.add_event({.start_ns = 12, .path = 1, .kind = EventKind::open}));
    runs.finish_trace();
  }
  ASSERT_EQ(runs.size(), 4U) << "nothing is read while the map loads";
  EXPECT_EQ(runs.run_count(), 4U);
  EXPECT_EQ(runs.id(0), (RunId{0, 0}));
  EXPECT_EQ(runs.id(1), (RunId{0, 2}));
  EXPECT_EQ(runs.id(2), (RunId{1, 0}));
  const ContentRun run = runs.run(2);
  EXPECT_EQ(run.scenario, "same");
  EXPECT_TRUE(run.knows_sizes);
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[0], (Event{.length_bytes = 10, .path = 0}));
  EXPECT_EQ(run.events[1],
            (Event{.offset_bytes = 150, .length_bytes = 50, .path = 1, .thread = 1}));
  EXPECT_EQ(runs.reads_past_end().at(1), 2U);
  const ContentRun opened = runs.run(1);
  EXPECT_FALSE(opened.knows_sizes);
  EXPECT_EQ(opened.events.front().kind, EventKind::open);
}

RecordedFit fit_of(const Content& content, std::initializer_list<Event> events) {
  KeptRuns runs(content);
  runs.start_trace("menu");
  EXPECT_TRUE(runs.begin({.began_unix_ns = 1'600'000'000'000'000'000}));
  for (const char* path : {"/g/a", "/g/b"}) EXPECT_TRUE(runs.add_path(path));
  for (const Event& event : events) EXPECT_TRUE(runs.add_event(event));
  runs.finish_trace();
  return runs.fit();
}

TEST(RecordedFit, is_whole_where_all_reads_end_within_their_files) {
  const RecordedFit fit = fit_of(
      two_files(),
      {{.length_bytes = 100, .path = 0}, {.offset_bytes = 190, .length_bytes = 10, .path = 1}});
  EXPECT_EQ(fit.read_bytes, 110U);
  EXPECT_EQ(fit.share(), 1);
  EXPECT_EQ(fit.misfit, Misfit::none);
}

TEST(RecordedFit, lacks_what_lies_past_the_end_of_a_plain_file) {
  const RecordedFit fit = fit_of(
      two_files(),
      {{.length_bytes = 100, .path = 0}, {.offset_bytes = 150, .length_bytes = 100, .path = 1}});
  EXPECT_EQ(fit.misfit_bytes, 50U);
  EXPECT_EQ(fit.share(), 0.75);
  EXPECT_EQ(fit.file, "/g/b");
  EXPECT_EQ(fit.misfit, Misfit::past_end);
}

TEST(RecordedFit, lacks_all_of_an_archive_that_is_shorter_now) {
  Content content = two_files();
  content.sources[1].kind = SourceKind::zip;
  const RecordedFit fit = fit_of(content, {{.length_bytes = 100, .path = 1},
                                           {.offset_bytes = 195, .length_bytes = 10, .path = 1}});
  EXPECT_EQ(fit.misfit_bytes, 110U);
  EXPECT_EQ(fit.share(), 0);
}

TEST(RecordedFit, does_not_count_names_opens_and_maps) {
  const RecordedFit fit =
      fit_of(two_files(), {{.length_bytes = kWholeFile, .path = 0},
                           {.path = 0, .kind = EventKind::open},
                           {.length_bytes = 4096, .path = 0, .kind = EventKind::map}});
  EXPECT_EQ(fit.read_bytes, 0U);
  EXPECT_EQ(fit.share(), 1);
}

// An archive on disk, written now. None of the recording's reads begins where one of its 12 entries
// lies.
class GrownArchive : public testing::Test {
 protected:
  // Reads the archive's end, and then 60 bytes at `at_bytes` and at regular distances after it.
  RecordedFit fit_of_recording(int64_t began_unix_ns, uint64_t at_bytes = 7,
                               uint64_t apart_bytes = 90) const {
    Content content;
    content.sources = {{.path = content.paths.add(path_),
                        .size_bytes = 60'000,
                        .directory_offset_bytes = 50'000,
                        .kind = SourceKind::zip}};
    for (uint32_t i = 0; i < 12; ++i)
      content.assets.push_back({.path = "e",
                                .place = {.size_bytes = 900,
                                          .stored_bytes = 900,
                                          .header_offset_bytes = 1000 + 1000 * i,
                                          .header_bytes = 40,
                                          .entry = i}});
    KeptRuns runs(content);
    runs.start_trace("menu");
    EXPECT_TRUE(runs.begin({.began_unix_ns = began_unix_ns}));
    EXPECT_TRUE(runs.add_path(path_));
    EXPECT_TRUE(runs.add_event({.offset_bytes = 59'978, .length_bytes = 22, .path = 0}));
    for (uint64_t i = 12; i-- > 0;)
      EXPECT_TRUE(runs.add_event(
          {.offset_bytes = apart_bytes * i + at_bytes, .length_bytes = 60, .path = 0}));
    runs.finish_trace();
    return runs.fit();
  }

  void SetUp() override { folder_.write("grown.zip", "an archive"); }

  const TestFolder folder_;
  const std::string path_ = folder_.path("grown.zip");
};

TEST_F(GrownArchive, is_told_by_places_and_by_a_time_after_the_recording) {
  const RecordedFit fit = fit_of_recording(1'600'000'000'000'000'000);
  EXPECT_EQ(fit.misfit, Misfit::changed);
  EXPECT_EQ(fit.share(), 0);
}

TEST_F(GrownArchive, is_not_suspected_if_it_is_older) {
  EXPECT_EQ(fit_of_recording(4'000'000'000'000'000'000).misfit, Misfit::none);
}

TEST_F(GrownArchive, is_told_by_places_alone_if_nobody_knows_when_it_was_recorded) {
  EXPECT_EQ(fit_of_recording(0).misfit, Misfit::elsewhere);
  EXPECT_EQ(fit_of_recording(0, 1000, 1000).misfit, Misfit::none) << "every entry begins there";
  EXPECT_EQ(fit_of_recording(0, 1500, 1000).misfit, Misfit::elsewhere) << "in the midst of each";
}

// Programs that unpack, copy or install keep a file's time.
TEST_F(GrownArchive, is_told_if_its_time_was_put_back) {
  const auto long_ago =
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 20);
  std::filesystem::last_write_time(path_, long_ago);
  EXPECT_EQ(fit_of_recording(1'600'000'000'000'000'000).misfit, Misfit::changed);
}

TEST_F(GrownArchive,
       is_not_suspected_for_reads_of_whole_pages_if_only_its_name_or_rights_are_newer) {
  std::filesystem::last_write_time(
      path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 20));
  EXPECT_EQ(fit_of_recording(1'600'000'000'000'000'000, 0, 4096).misfit, Misfit::none);
}

}  // namespace
}  // namespace seekless

// Scenarios that begin with an archive's entry.
#include "packer/profile/internal/entry_splits.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

// Makes maps/a (header 0, data 30 to 8000), maps/b (8000, 8030 to 8100), maps/c (8100, 8130 to
// 8200), music (8200, 8230 to 50,000), and the directory after them.
Content make_content() {
  Content content;
  content.sources = {{.path = "/g/p.pk3",
                      .size_bytes = 51'000,
                      .directory_offset_bytes = 50'000,
                      .kind = SourceKind::zip}};
  const auto entry = [](PooledPath path, uint32_t number, uint64_t header, uint64_t end) {
    return Asset{path,
                 {.size_bytes = end - header - 30,
                  .stored_bytes = end - header - 30,
                  .header_offset_bytes = header,
                  .header_bytes = 30,
                  .source = 0,
                  .entry = number}};
  };
  content.assets = {entry("maps/a", 0, 0, 8000), entry("maps/b", 1, 8000, 8100),
                    entry("maps/c", 2, 8100, 8200), entry("music", 3, 8200, 50'000)};
  return content;
}

class EntrySplitsTest : public testing::Test {
 protected:
  // Returns "name" for each mark and "offset+length" for each read, in the order they are passed
  // on.
  std::vector<std::string> after(const std::vector<Event>& events, const std::string& path) {
    struct Told final : TraceSink {
      std::vector<std::string> what;
      Result<void> begin(const TraceHeader&) override { return {}; }
      Result<void> add_path(std::string_view) override { return {}; }
      Result<void> add_event(const Event& event) override {
        what.push_back(std::to_string(event.offset_bytes) + "+" +
                       std::to_string(event.length_bytes));
        return {};
      }
      Result<void> add_mark(const Mark& mark) override {
        what.push_back(mark.scenario);
        return {};
      }
    } told;
    EntrySplits splits(content_, locator_, {"maps/*"}, told);
    EXPECT_TRUE(splits.add_path(path));
    for (const Event& event : events) EXPECT_TRUE(splits.add_event(event));
    EXPECT_TRUE(splits.finish());
    splits_ = splits.splits();
    return told.what;
  }

  const Content content_ = make_content();
  const Locator locator_{content_};
  uint64_t splits_ = 0;
};

TEST_F(EntrySplitsTest, the_first_read_of_each_entry_begins_its_scenario) {
  EXPECT_THAT(after({{.offset_bytes = 9000, .length_bytes = 100},
                     {.offset_bytes = 30, .length_bytes = 100},
                     {.offset_bytes = 8030, .length_bytes = 9},
                     {.offset_bytes = 130, .length_bytes = 100}},
                    "/g/p.pk3"),
              ElementsAre("9000+100", "a", "30+100", "b", "8030+9", "130+100"));
  EXPECT_EQ(splits_, 2U);
}

TEST_F(EntrySplitsTest, a_header_alone_begins_nothing) {
  EXPECT_THAT(after({{.offset_bytes = 8000, .length_bytes = 30}}, "/g/p.pk3"),
              ElementsAre("8000+30"));
}

// Because files are read in pages, one map's read would otherwise start its neighbours' scenarios.
TEST_F(EntrySplitsTest, what_a_read_spills_into_begins_nothing) {
  EXPECT_THAT(
      after({{.offset_bytes = 0, .length_bytes = 4096},
             {.offset_bytes = 4096, .length_bytes = 4096},
             {.offset_bytes = 20'480, .length_bytes = 4096},
             {.offset_bytes = 8000, .length_bytes = 4096},
             {.offset_bytes = 8100, .length_bytes = 4096}},
            "/g/p.pk3"),
      ElementsAre("a", "0+4096", "4096+4096", "20480+4096", "b", "8000+4096", "c", "8100+4096"));
}

// A page that reaches an entry is held back until the next read tells whether it was for that
// entry.
TEST_F(EntrySplitsTest, a_read_that_goes_on_from_an_entrys_begin_is_for_it) {
  EXPECT_THAT(after({{.offset_bytes = 20'000, .length_bytes = 100},
                     {.offset_bytes = 7000, .length_bytes = 1080},
                     {.offset_bytes = 8080, .length_bytes = 30},
                     {.offset_bytes = 30, .length_bytes = 10}},
                    "/g/p.pk3"),
              ElementsAre("20000+100", "b", "7000+1080", "8080+30", "a", "30+10"));
  EXPECT_THAT(after({{.offset_bytes = 7000, .length_bytes = 1080},
                     {.offset_bytes = 9000, .length_bytes = 60}},
                    "/g/p.pk3"),
              ElementsAre("7000+1080", "9000+60"));
}

TEST_F(EntrySplitsTest, an_entry_called_by_its_own_path_begins_its_scenario) {
  EXPECT_THAT(after({{.length_bytes = kWholeFile}, {.length_bytes = 10}}, "maps/c"),
              ElementsAre("c", std::to_string(0) + "+" + std::to_string(kWholeFile), "0+10"));
}

TEST_F(EntrySplitsTest, what_the_import_has_begun_by_name_is_not_begun_again) {
  Trace trace;
  EntrySplits splits(content_, locator_, {"maps/*"}, trace);
  for (const char* path : {"maps/c", "music"}) ASSERT_TRUE(splits.add_path(path));
  ASSERT_TRUE(splits.add_mark({.time_ns = 1, .scenario = "c"}));
  ASSERT_TRUE(splits.add_event({.path = 0, .kind = EventKind::open}));
  ASSERT_TRUE(splits.add_event({.length_bytes = 10, .path = 1}));
  ASSERT_TRUE(splits.add_event({.length_bytes = 10, .path = 0}));
  EXPECT_EQ(trace.marks.size(), 1U);
  EXPECT_EQ(splits.splits(), 0U);
}

TEST_F(EntrySplitsTest, names_of_archives_alone_and_opens_begin_nothing) {
  after({{.kind = EventKind::open}, {.length_bytes = kWholeFile}}, "/g/p.pk3");
  EXPECT_EQ(splits_, 0U);
}

}  // namespace
}  // namespace seekless

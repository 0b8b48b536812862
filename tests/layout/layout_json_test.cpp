#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "packer/layout/layout.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

Layout rich_layout() {
  Layout layout;
  layout.block_bytes = 65536;
  layout.fold_case = true;
  layout.read_through_bytes = 12345;
  layout.sources = {{.path = "game/a \"b\"\\c", .size_bytes = 10},
                    {.path = "game/\xC3\xA4.pk3", .size_bytes = 99, .kind = SourceKind::zip},
                    {.path = "game/b.pck", .size_bytes = 50, .kind = SourceKind::flat}};
  layout.scenarios = {{"menu", 3}, {"level \xE2\x82\xAC", 1}};
  layout.scenarios[0].predicted = {.sweep_s = 0.125,
                                   .demand_s = 1.000001,
                                   .bound_s = 0.1,
                                   .needed_bytes = 15,
                                   .is_held_out = true,
                                   .unseen_assets = 0.333333,
                                   .in_memory_bytes = 7};
  layout.prediction = {.drive = "wd \"black\"",
                       .copied_bytes = 5,
                       .seconds = 0.25,
                       .curve = {{1, 0, 0.5}, {1.333333, 5, 0.25}},
                       .reasons = "Since \xE2\x82\xAC."};
  layout.scenario_sets = {{}, {0, 1}, {1}};
  layout.packs = {
      {"common",
       PackKind::common,
       {{.path = "a", .size_bytes = 10, .scenario_set = 1, .alignment_bytes = 4096},
        {.path = "b/\xC3\xA4",
         .size_bytes = 5,
         .source = 1,
         .entry = 7,
         .crc32 = 0xdeadbeef,
         .scenario_set = 1}}},
      {"cold",
       PackKind::cold,
       {{.path = "c", .size_bytes = 10}, {.path = "d", .size_bytes = 5, .source = 2, .entry = 3}}}};
  return layout;
}

class LayoutJson : public testing::Test {
 protected:
  Result<Layout> read(const std::string& text) const {
    return read_layout(folder_.write("layout.json", text));
  }
  std::string text_of(const Layout& layout) const {
    const auto written = write_layout(layout, folder_.path("layout.json"));
    EXPECT_TRUE(written) << written.error().message;
    return read_text(folder_.path("layout.json"), 1 << 20).value_or("");
  }
  // Reads the rich layout's text with one piece replaced.
  Result<Layout> read_with(const std::string& from, const std::string& to) const {
    std::string text = text_of(rich_layout());
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return read(text.replace(at, from.size(), to));
  }
  TestFolder folder_;
};

TEST_F(LayoutJson, comes_back_as_it_was_written) {
  const Layout layout = rich_layout();
  const std::string text = text_of(layout);
  const auto again = read(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, layout);
  EXPECT_EQ(text_of(*again), text);
  EXPECT_EQ(*read(text_of(Layout{.scenario_sets = {{}}})), Layout{.scenario_sets = {{}}});
}

TEST_F(LayoutJson, keys_may_come_in_any_order) {
  const auto layout = read(R"({"packs":[{"assets":[{"set":0,"source":0,"path":"a","bytes":1}],
    "kind":"cold","name":"p"}],"scenario_sets":[[]],"scenarios":[],"read_through_bytes":0,
    "fold_case":false,"block_bytes":65536,"sources":[{"bytes":1,"kind":"file","path":"s"}],
    "version":1,"seekless":"layout"})");
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->packs.at(0).assets.at(0).path, "a");
}

TEST_F(LayoutJson, every_truncation_is_damaged) {
  const std::string text = text_of(rich_layout());
  for (size_t size = 0; size + 2 < text.size(); ++size) {
    const auto layout = read(text.substr(0, size));
    ASSERT_FALSE(layout) << size;
    EXPECT_EQ(layout.error().kind, ErrorKind::damaged) << size;
  }
}

TEST_F(LayoutJson, a_wrong_value_is_damaged_and_named) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"("layout")", R"("profile")"},
      {R"("layout")", "7"},
      {R"("version": 1)", R"("version": 2)"},
      {R"("version": 1)", R"("version": -1)"},
      {R"("version": 1)", R"("version": "1")"},
      {R"("block_bytes": 65536)", R"("block_bytes": 65537)"},
      {R"("block_bytes": 65536)", R"("block_bytes": 0)"},
      {R"("block_bytes": 65536)", R"("block_bytes": -65536)"},
      {R"("block_bytes": 65536)", R"("block_bytes": 65536.0)"},
      {R"("block_bytes": 65536)", R"("block_bytes": 1e300)"},
      {R"("block_bytes": 65536)", R"("block_bytes": 4295032832)"},
      {R"("block_bytes": 65536)", R"("block_bytes": true)"},
      {R"("block_bytes": 65536)", R"("block_bytes": null)"},
      {R"("block_bytes": 65536,)", ""},
      {R"("fold_case": true)", R"("fold_case": 1)"},
      {R"("read_through_bytes": 12345)", R"("read_through_bytes": 1e999)"},
      {R"("sweep_s":0.125)", R"("sweep_s":-1)"},
      {R"("held_out":true)", R"("held_out":1)"},
      {R"("copied_bytes":5,"seconds":0.25,"reasons")",
       R"("copied_bytes":-5,"seconds":0.25,"reasons")"},
      {R"("budget_ratio":1.333333)", R"("budget_ratio":"x")"},
      {R"("bytes":10,"source":0)", R"("bytes":-10,"source":0)"},
      {R"("bytes":10,"source":0)", R"("bytes":99999999999999999999,"source":0)"},
      {R"("bytes":10,"source":0)", R"("bytes":"10","source":0)"},
      {R"("bytes":10,"source":0)", R"("bytes":10,"source":2)"},
      {R"("bytes":10,"source":0)", R"("bytes":10,"source":3)"},
      {R"("bytes":10,"source":0)", R"("bytes":10,"source":1)"},
      {R"("bytes":10,"source":0)", R"("bytes":10,"source":4294967296)"},
      {R"("bytes":10,"source":0)", R"("source":0)"},
      {R"("alignment":4096)", R"("alignment":0)"},
      {R"("alignment":4096)", R"("alignment":48)"},
      {R"("alignment":4096)", R"("alignment":8192)"},
      {R"("set":1)", R"("set":3)"},
      {R"("entry":7,"crc32":3735928559)", R"("entry":7)"},
      {R"("entry":7,"crc32":3735928559,)", ""},
      {R"("path":"a")", R"("path":"../a")"},
      {R"("path":"a")", R"("path":"")"},
      {R"("path":"a")", R"("path":"a\u0000")"},
      {R"("path":"a")", R"("path":"B/)"
                        "\xC3\xA4"
                        R"(")"},
      {R"("path":"a")", R"("path":["a"])"},
      {R"("kind":"zip")", R"("kind":"rar")"},
      {R"("kind": "cold")", R"("kind": "warm")"},
      {R"("name": "cold")", R"("name": "common")"},
      {R"("name": "cold")", R"("name": "a/b")"},
      {R"("name": "cold")", R"("name": "..")"},
      {R"("name": "cold")", R"("name": "catalog")"},
      {R"("name": "cold")", R"("name": "")"},
      {R"("name":"menu")", R"("name":"")"},
      {R"("name":"menu")", R"("name":"me\nnu")"},
      {R"("name":"menu")", R"("name":3)"},
      {R"("runs":3)", R"("runs":-3)"},
      {"[0,1]", "[1,0]"},
      {"[0,1]", "[0,0]"},
      {"[0,1]", "[0,2]"},
      {"[0,1]", "[0,-1]"},
      {"[0,1]", "[0,4294967297]"},
      {"[0,1]", "[0,1.5]"},
      {"[0,1]", "[0,true]"},
      {"[0,1]", "7"},
      {R"("scenarios": [)", R"("scenarios": 7, "x": [)"}};
  for (const auto& [from, to] : changes) {
    const auto layout = read_with(from, to);
    ASSERT_FALSE(layout) << from << " -> " << to;
    EXPECT_EQ(layout.error().kind, ErrorKind::damaged) << to;
    EXPECT_THAT(layout.error().message, HasSubstr("layout.json: ")) << to;
  }
}

TEST_F(LayoutJson, any_other_json_is_damaged) {
  for (const char* text : {"", "{}", "[]", "null", "7", "\"layout\"", "[{\"packs\":[]}]",
                           "nonsense", "{\"packs\":[[{}]]}", "{\"sources\":[{}]}",
                           "{\"packs\":[{}]}", "\xff", "{\"seekless\":\"layout\",\"version\":1}"}) {
    const auto layout = read(text);
    ASSERT_FALSE(layout) << text;
    EXPECT_EQ(layout.error().kind, ErrorKind::damaged);
  }
}

TEST_F(LayoutJson, deep_nesting_neither_crashes_nor_hangs) {
  for (const char* open : {"[", "{\"packs\":", "{\"x\":["}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    EXPECT_FALSE(read(text));
  }
  std::string closed = R"({"x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_FALSE(read(closed));
}

TEST_F(LayoutJson, messages_stay_short) {
  const auto layout = read(R"({"seekless": ")" + std::string(1'000'000, 'x'));
  ASSERT_FALSE(layout);
  EXPECT_LT(layout.error().message.size(), 1000U);
}

TEST_F(LayoutJson, names_that_json_cannot_hold_are_an_error_and_no_exception) {
  Layout layout = rich_layout();
  layout.sources[0].path = "caf\xE9/a";
  const auto source = check_layout(layout, "layout.json");
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().message, HasSubstr("UTF-8"));
  EXPECT_FALSE(write_layout(layout, folder_.path("out.json")));
  layout = rich_layout();
  layout.scenarios[0].name = "\xff";
  EXPECT_FALSE(check_layout(layout, "layout.json"));
  EXPECT_FALSE(write_layout(layout, folder_.path("out.json")));
}

TEST_F(LayoutJson, a_source_that_holds_a_nul_is_damaged) {
  EXPECT_THAT(read_with("game/a ", "game/\\u0000a ").error().message, HasSubstr("NUL"));
}

TEST_F(LayoutJson, copies_of_one_path_are_of_one_source) {
  const auto fault = [](const LaidAsset& copy) {
    Layout layout = rich_layout();
    layout.packs[1].assets.push_back(copy);
    const auto checked = check_layout(layout, "x");
    return checked ? std::string() : checked.error().message;
  };
  const LaidAsset original = rich_layout().packs[0].assets[1];
  EXPECT_EQ(fault(original), "");
  LaidAsset copy = original;
  copy.entry = 8;
  EXPECT_THAT(fault(copy), AllOf(HasSubstr("'common'"), HasSubstr("'cold'"), HasSubstr("entry 7"),
                                 HasSubstr("entry 8"), HasSubstr("game/\xC3\xA4.pk3")));
  copy = original;
  copy.crc32 = 1;
  EXPECT_NE(fault(copy), "");
  copy = original;
  copy.path = "B/\xC3\xA4";  // the same, as case doesn't count
  copy.size_bytes = 6;
  EXPECT_THAT(fault(copy), HasSubstr("6 bytes"));
}

TEST_F(LayoutJson, paths_may_differ_by_case_only_where_case_counts) {
  Layout layout = rich_layout();
  layout.packs[0].assets[0].path = "B/\xC3\xA4";
  EXPECT_FALSE(check_layout(layout, "x"));
  layout.fold_case = false;
  EXPECT_TRUE(check_layout(layout, "x"));
}

// On some systems such names mean the same file.
TEST_F(LayoutJson, names_of_packs_differ_by_more_than_case) {
  Layout layout = rich_layout();
  ASSERT_GE(layout.packs.size(), 2U);
  layout.packs[0].name = "Catalog";
  EXPECT_FALSE(check_layout(layout, "x"));
  layout.packs[0].name = "p";
  EXPECT_TRUE(check_layout(layout, "x"));
  layout.packs[1].name = "P";
  EXPECT_FALSE(check_layout(layout, "x"));
}

Layout placed_layout() {
  Layout layout = rich_layout();
  layout.packs[0].places = LaidPlaces{8192, {4096, 65536}, {{0, 0}, {1, 64}}};
  return layout;
}

TEST_F(LayoutJson, explicit_places_come_back) {
  const Layout layout = placed_layout();
  const auto again = read(text_of(layout));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, layout);
  EXPECT_FALSE(again->packs[1].places);
}

TEST_F(LayoutJson, refuses_places_that_a_pack_can_not_have) {
  const auto message = [](auto change) {
    Layout layout = placed_layout();
    change(layout.packs[0], *layout.packs[0].places);
    const auto checked = check_layout(layout, "test");
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message([](LaidPack&, LaidPlaces&) {}), "");
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) { at.assets.pop_back(); }),
              HasSubstr("each asset"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) { at.data_offset_bytes = 5000; }),
              HasSubstr("4096"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) { at.block_raw_bytes[0] = 0; }),
              HasSubstr("blocks of 1 to"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) { at.block_raw_bytes[0] = 65537; }),
              HasSubstr("blocks of 1 to"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) {
                at.assets[1] = {2, 0};
              }),
              HasSubstr("last block"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) {
                at.assets[0] = {0, 4090};
              }),
              HasSubstr("beyond its block"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) {
                at.assets[0] = {1, 64};
              }),
              HasSubstr("size of what has its place"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) {
                at.assets[1] = {0, 5};
              }),
              HasSubstr("overlaps"));
  EXPECT_THAT(message([](LaidPack&, LaidPlaces& at) {
                at.assets[1] = {1, 65};
              }),
              HasSubstr("alignment"));
  EXPECT_THAT(message([](LaidPack& pack, LaidPlaces& at) {
                pack.assets[1].size_bytes = 0;
                at.assets[1] = {1, 0};
              }),
              HasSubstr("empty asset"));
  EXPECT_THAT(message([](LaidPack& pack, LaidPlaces& at) {
                pack.assets[1].size_bytes = 65537;
                at.block_raw_bytes = {4096, 4096, 4096};
                at.assets[1] = {1, 0};
              }),
              HasSubstr("isn't full"));
  EXPECT_THAT(message([](LaidPack& pack, LaidPlaces& at) {
                pack.assets[1].size_bytes = UINT64_MAX;
                at.assets[1] = {1, 0};
              }),
              HasSubstr("last block"));
}

TEST_F(LayoutJson, refuses_places_of_some_assets_alone) {
  std::string text = text_of(placed_layout());
  const size_t at = text.find(",\"at\":[1,64]");
  ASSERT_NE(at, std::string::npos);
  text.erase(at, 13);
  EXPECT_FALSE(read(text));
}

}  // namespace
}  // namespace seekless

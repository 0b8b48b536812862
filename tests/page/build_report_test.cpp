#include "packer/answer/build_report.h"

#include <algorithm>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/answer/build_tables.h"
#include "packer/page/build_page.h"
#include "tests/answer/sample_report.h"
#include "tests/page/has_pattern.h"

namespace seekless {
namespace {

BuiltPack built_pack(std::string file, OutputFate fate, std::vector<std::string> reasons,
                     std::optional<uint64_t> patch_bytes) {
  BuiltPack pack = {.file = std::move(file), .fate = fate, .reasons = std::move(reasons)};
  if (patch_bytes) pack.patch = {.chunk_bytes = *patch_bytes};
  return pack;
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

BuildReport sample_build() {
  BuildReport report;
  report.build_file = "game/seekless.json";
  report.results = sample_report();
  add_plan(report.results);
  add_reads(report.results);
  report.previous = {{"boot", 0.6}, {"map/lakeville", 2.5}};
  report.built = {built_pack("boot.skl", OutputFate::written, {"2 assets changed"}, 1'400'000),
                  built_pack("common.skl", OutputFate::kept, {}, 0)};
  report.largest = {{"music/theme.ogg", 9'000'000, 1}, {"textures/wall.png", 4'000'000, 3}};
  report.most_copied = {{"sounds/click.wav", 100'000, 4}, {"textures/wall.png", 4'000'000, 3}};
  report.assets = 480;
  report.content_bytes = 160'000'000;
  report.patch = {.edited_bytes = 1'100'000, .grid_bytes = 3'100'000, .chunked_bytes = 1'400'000};
  return report;
}

BuildReport predicted_build() {
  BuildReport report = sample_build();
  report.basis = LoadBasis::predicted;
  report.previous.clear();
  return report;
}

std::vector<std::string> names_in(const ReportTable& table) {
  std::vector<std::string> names;
  for (const auto& row : table.rows) names.push_back(row.front());
  return names;
}

TEST(BuildTables, loads_say_what_they_took_before_and_in_the_last_build) {
  const ReportTable table = loads_table(sample_build(), 10);
  EXPECT_THAT(table.rows[0], ElementsAre("boot", "20.0", "2.00", "0.50", "4.0", "-17 %"));
  EXPECT_THAT(table.rows[1], ElementsAre("map/lakeville", "140.0", "12.00", "2.50", "4.8", "same"));
}

TEST(BuildTables, a_first_build_has_no_last_one) {
  BuildReport report = sample_build();
  report.previous.clear();
  EXPECT_EQ(loads_table(report, 10).columns.size(), 5U);
  EXPECT_EQ(loads_table(report, 10).rows[0].size(), 5U);
  report.previous = {{"boot", 0.6}};
  EXPECT_EQ(loads_table(report, 10).rows[1].back(), "new");
}

TEST(BuildTables, keep_the_longest_loads_in_the_order_of_the_report) {
  BuildReport report = sample_build();
  report.results.scenarios.push_back(report.results.scenarios[0]);
  report.results.scenarios.back().name = "menu";
  report.results.scenarios.back().before.seconds = 3;
  const ReportTable table = loads_table(report, 2);
  EXPECT_THAT(names_in(table), ElementsAre("map/lakeville", "menu"));
  EXPECT_EQ(table.left_out, 1U);
}

TEST(BuildTables, packs_that_were_written_come_first) {
  BuildReport report = sample_build();
  report.built = {built_pack("common.skl", OutputFate::written, {"an asset is new"}, {}),
                  built_pack("boot.skl", OutputFate::kept, {}, {})};
  const ReportTable table = packs_table(report, 10);
  EXPECT_THAT(table.rows[0], ElementsAre("common.skl", "common", "400", "50.0", "2.0", "written",
                                         "an asset is new"));
  EXPECT_THAT(table.rows[1], ElementsAre("boot.skl", "sub", "120", "150.0", "0.7", "kept", ""));
  EXPECT_EQ(packs_table(report, 1).left_out, 1U);
}

TEST(BuildTables, every_row_has_as_many_cells_as_there_are_columns) {
  BuildReport report = sample_build();
  report.built.pop_back();
  for (const BuildReport& of : {report, sample_build(), predicted_build()})
    for (const ReportTable& table :
         {loads_table(of, 9), packs_table(of, 9), largest_table(of, 9), copies_table(of, 9)})
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
}

TEST(BuildTables, assets_are_sorted_by_the_room_that_all_their_copies_take) {
  EXPECT_THAT(largest_table(sample_build(), 10).rows[0],
              ElementsAre("textures/wall.png", "4.0", "3", "12.0"));
  EXPECT_THAT(copies_table(sample_build(), 10).rows[0],
              ElementsAre("textures/wall.png", "4.0", "3", "8.0"));
  EXPECT_THAT(names_in(largest_table(sample_build(), 1)), ElementsAre("textures/wall.png"));
}

TEST(BuildTables, an_asset_in_one_pack_is_no_copy) {
  BuildReport report = sample_build();
  report.most_copied = {{"a", 5, 1}, {"b", 5, 0}};
  EXPECT_THAT(copies_table(report, 10).rows, IsEmpty());
}

TEST(BuildTables, the_order_in_which_assets_were_collected_does_not_matter) {
  BuildReport report = sample_build();
  report.largest = {{"b", 5, 1}, {"a", 5, 1}, {"c", 6, 1}};
  const auto names = names_in(largest_table(report, 3));
  std::ranges::reverse(report.largest);
  EXPECT_EQ(names_in(largest_table(report, 3)), names);
  EXPECT_THAT(names, ElementsAre("c", "a", "b"));
}

TEST(BuildSentences, tell_loads_packs_and_patch) {
  const BuildReport report = sample_build();
  EXPECT_EQ(loads_sentence(report),
            "Two loads take 3.0 s of disk time instead of 14.0 s on wd-black-1tb: 4.7 times less.");
  EXPECT_EQ(
      packs_sentence(report),
      "1 of 2 packs was written; 200 MB in all, 1.0 % of it padding, 1.25 times the content.");
  EXPECT_EQ(patch_sentence(report),
            "1.10 MB of new or changed assets make a patch of 1.40 MB in content-defined chunks, "
            "3.10 MB in chunks of 1 MiB at fixed places.");
  EXPECT_EQ(to_line(report),
            "2 packs (1 written), 200 MB, padding 1.0 %, patch 1.40 MB, 2 loads 14.0 s -> 3.0 s, "
            "1 warning");
}

TEST(BuildSentences, tell_when_there_was_nothing_to_do) {
  BuildReport report = sample_build();
  for (BuiltPack& pack : report.built) pack.fate = OutputFate::kept;
  report.patch = PatchReport();
  EXPECT_THAT(packs_sentence(report), StartsWith("Nothing of 2 packs had to be written; "));
  EXPECT_EQ(patch_sentence(report), "Players need no patch.");
}

TEST(BuildSentences, tell_what_a_fresh_plan_would_bring) {
  BuildReport report = sample_build();
  report.patch.reset();
  report.relayout = {.saved_seconds = 0.4, .patch_bytes = 90'000'000};
  EXPECT_EQ(patch_sentence(report),
            "A fresh plan (--relayout) would save 0.40 s for a patch of 90.0 MB.");
  report.relayout->saved_seconds = -1;
  EXPECT_EQ(patch_sentence(report), "A fresh plan (--relayout) would save nothing.");
  report.relayout.reset();
  EXPECT_EQ(patch_sentence(report), "");
}

TEST(BuildPage, has_all_that_is_known_and_nothing_from_elsewhere) {
  const std::string page = to_html(sample_build());
  for (const std::string part :
       {"<title>Build of game/seekless.json</title>", "4.7 times less.</p>",
        "<dt>packs written</dt><dd>1 <span class=\"faint\">of 2</span></dd>", "<dt>patch</dt>",
        "<h2>Warning</h2>", "<h2>Seconds that the drive is busy</h2>", "<h2>Loads</h2>",
        "<td>-17 %</td>", "<td class=\"text\">2 assets changed</td>",
        "<h2>What players download</h2>", "<h2>Why the packs are as they are</h2>",
        "<h2>Copies</h2>", "<h2>Biggest assets</h2>", "<h2>Which scenario reads what, where</h2>",
        "<h2>All figures</h2>", "<h2>Assumptions</h2>"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasPattern("src=|href=|url\\(|@import|<script|http:|https:")));
  EXPECT_THAT(page, Not(HasSubstr("build took")));
  EXPECT_EQ(page, to_html(sample_build()));
}

TEST(BuildPage, says_how_long_the_build_took_if_it_is_told) {
  BuildReport report = sample_build();
  report.work = {.seconds = 12.3, .read_bytes = 5'000'000, .written_bytes = 150'000'000};
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("<dt>build took</dt><dd>12.3 s</dd>"));
  EXPECT_THAT(page, HasSubstr("Read: 5.00 MB; written: 150 MB."));
}

TEST(BuildPage, holds_a_prediction_against_nothing) {
  const std::string page = to_html(predicted_build());
  EXPECT_THAT(page, HasSubstr("on wd-black-1tb (predicted): 4.7 times less"));
  EXPECT_THAT(page, HasSubstr("after, from the packs (predicted)"));
  EXPECT_THAT(page, Not(HasSubstr("Predicted and simulated")));
  EXPECT_THAT(page, Not(HasSubstr("<h2>All figures</h2>")));
  EXPECT_THAT(page, HasSubstr("<h2>Loads</h2>"));
}

TEST(BuildPage, does_without_anything) {
  const BuildReport nothing = {.build_file = "x", .results = {}};
  EXPECT_THAT(to_html(nothing), HasSubstr("<p class=\"lead\">There are no packs.</p>"));
  EXPECT_THAT(to_markdown(nothing), HasSubstr("## Build of x\n\n**No load was measured.**"));
  EXPECT_EQ(to_line(nothing), "0 packs, 0 bytes, padding 0.0 %");
}

TEST(BuildPage, survives_numbers_that_are_none) {
  BuildReport report = sample_build();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  report.previous[0].seconds = kNan;
  report.results.scenarios[0].after.seconds = std::numeric_limits<double>::infinity();
  report.relayout = {.saved_seconds = kNan, .patch_bytes = 1};
  report.largest = {{"a", std::numeric_limits<uint64_t>::max(), 3}};
  report.most_copied = report.largest;
  report.work = {.seconds = kNan};
  for (const std::string& text : {to_html(report), to_markdown(report), to_line(report)})
    EXPECT_THAT(text, Not(HasPattern("[ \">|-](nan|inf)[ \"<%|]")));
}

TEST(BuildPage, escapes_all_text_from_outside) {
  const std::string evil = "<i>\"'&\x1b\xff";
  BuildReport report = sample_build();
  report.build_file = report.built[0].reasons.front() = report.largest[0].path =
      report.most_copied[1].path = evil;
  report.results.packs[0].name = report.results.packs[0].kind = report.results.scenarios[0].name =
      evil;
  report.results.drive = evil;
  const std::string page = to_html(report);
  EXPECT_EQ(occurrences(page, "<i>"), 0U);
  EXPECT_EQ(occurrences(page, "\x1b"), 0U);
  EXPECT_EQ(occurrences(page, "\xff"), 0U);
}

TEST(BuildMarkdown, is_a_summary_with_tables) {
  const std::string text = to_markdown(sample_build());
  EXPECT_THAT(text, StartsWith("## Build of game/seekless.json\n\n**Two loads take 3.0 s "));
  EXPECT_THAT(text, HasSubstr("### Warning\n\n- The runs of boot differ: record it again.\n"));
  EXPECT_THAT(
      text,
      HasSubstr("| scenario | needs MB | before s | after s | times faster | since last build "
                "|\n|:--|--:|--:|--:|--:|--:|\n| boot | 20.0 | 2.00 | 0.50 | 4.0 | -17 % |\n"));
  EXPECT_THAT(text, HasSubstr("| boot.skl | sub | 120 | 150.0 | 0.7 | 1.4 | written | 2 assets "
                              "changed |\n"));
  EXPECT_THAT(text, HasSubstr("### Biggest assets\n"));
  EXPECT_THAT(text, Not(HasSubstr("<")));
}

TEST(BuildMarkdown, shows_text_from_outside_as_it_is) {
  BuildReport report = sample_build();
  report.largest = {{"a|b_*c*`d`[x](y)<b>@me #1\n\x1b", 5, 1}};
  EXPECT_THAT(to_markdown(report),
              HasSubstr("| a\\|b\\_\\*c\\*\\`d\\`\\[x\\](y)\\<b\\>\\@me \\#1\\\\x0a\\\\x1b |"));
}

TEST(BuildMarkdown, stays_short_whatever_the_build) {
  BuildReport report = sample_build();
  const std::string name(3000, '_');
  for (int i = 0; i < 1000; ++i) {
    report.results.scenarios.push_back(report.results.scenarios[0]);
    report.results.scenarios.back().name = name + std::to_string(i);
    report.results.packs.push_back(report.results.packs[0]);
    report.results.packs.back().name = name + std::to_string(i);
    report.built.push_back(built_pack(name + std::to_string(i), OutputFate::written, {name}, 5));
    report.largest.push_back({name, 100'000'000, 5});
    report.most_copied.push_back({name, 100'000'000, 5});
    report.results.warnings.push_back(name);
  }
  report.build_file = report.results.drive = name;
  const std::string text = to_markdown(report);
  EXPECT_LT(text.size(), 60'000U);
  EXPECT_THAT(text, HasSubstr("And 972 more."));
  EXPECT_THAT(text, HasSubstr("- and 991 more\n"));
}

}  // namespace
}  // namespace seekless

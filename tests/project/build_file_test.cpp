#include "packer/project/build_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/project/on_drive.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPath = "/game/seekless.json";

BuildFile parsed(std::string_view text) {
  auto file = parse_build_file(text, kPath);
  EXPECT_TRUE(file) << file.error().message;
  return file ? *std::move(file) : BuildFile{};
}

std::string refused(std::string_view text) {
  const auto file = parse_build_file(text, kPath);
  EXPECT_FALSE(file) << text;
  if (file) return "";
  EXPECT_EQ(file.error().kind, ErrorKind::usage);
  EXPECT_THAT(file.error().message, HasSubstr(kPath));
  return file.error().message;
}

TEST(BuildFile, reads_all_that_a_build_needs) {
  const BuildFile file = parsed(R"({
    "$schema": "build.schema.json",
    // Comments are welcome.
    "content": ["content", "/shared/dlc.zip"], "exclude": ["*.psd"], "opaque": ["*.jar"],
    "take_apart": ["*.pck"], "keep_archives": true, "fold_case": true,
    "traces": ["../traces/*.trace"], "map": ["C:\\Game=content"], "split": ["map/*.wrf"],
    "mark": ["12.5=map/rush"], "lenient": true,
    "drives": ["laptop-5400"], "budget": 1.2, "block": 1048576, "align": {"*.dds": 4096},
    "rules": [{"match": "a.dds", "align": 64}], "drop_outliers": true,
    "outputs": {"packs": {"folder": "out/packs", "codec": "lz4"}, "zips": {"folder": "/zips"}},
    "lock": "layout.lock", "report": {"html": "r.html", "json": "r.json", "markdown": "r.md"},
    "state": "/tmp/state", "threads": 3
  })");
  EXPECT_EQ(file.folder, on_drive("/game"));
  EXPECT_THAT(file.roots, ElementsAre(on_drive("/game/content"), on_drive("/shared/dlc.zip")));
  EXPECT_THAT(file.scan.exclude, ElementsAre("*.psd"));
  EXPECT_THAT(file.scan.take_apart, ElementsAre("*.pck"));
  EXPECT_TRUE(file.scan.keep_archives && file.scan.fold_case && file.plan.options.fold_case);
  EXPECT_THAT(file.traces, ElementsAre("../traces/*.trace"));
  EXPECT_THAT(file.maps, ElementsAre("C:\\Game=" + on_drive("/game/content")));
  EXPECT_THAT(file.splits, ElementsAre("map/*.wrf"));
  EXPECT_THAT(file.marks, ElementsAre("12.5=map/rush"));
  EXPECT_EQ(file.plan.options.block_bytes, 1048576U);
  ASSERT_EQ(file.plan.options.rules.size(), 2U);
  EXPECT_EQ(file.plan.options.rules[0].glob, "*.dds");
  EXPECT_EQ(file.plan.options.rules[1].alignment_bytes, 64U);
  ASSERT_TRUE(file.packs && file.zips);
  EXPECT_EQ(file.packs->folder, on_drive("/game/out/packs"));
  EXPECT_EQ(file.packs->codec, format::Codec::lz4);
  EXPECT_EQ(file.zips->folder, on_drive("/zips"));
  EXPECT_EQ(file.lock, on_drive("/game/layout.lock"));
  EXPECT_EQ(file.reports.markdown, on_drive("/game/r.md"));
  EXPECT_EQ(file.state, on_drive("/tmp/state"));
  EXPECT_EQ(file.threads, 3U);
}

TEST(BuildFile, what_isnt_said_is_as_without_it) {
  const BuildFile file = parsed(R"({"content": ["c"], "outputs": {"packs": {"folder": "p"}}})");
  EXPECT_EQ(file.state, on_drive("/game/.seekless"));
  EXPECT_EQ(file.lock, "");
  EXPECT_EQ(file.packs->codec, format::Codec::raw);
  EXPECT_FALSE(file.zips);
  EXPECT_EQ(file.threads, 0U);
}

TEST(BuildFile, another_text_has_another_fingerprint) {
  const BuildFile a = parsed(R"({"content": ["c"], "outputs": {"packs": {"folder": "p"}}})");
  const BuildFile b = parsed(R"({"content": ["d"], "outputs": {"packs": {"folder": "p"}}})");
  EXPECT_NE(a.fingerprint, b.fingerprint);
}

TEST(BuildFile, zips_are_written_as_asked) {
  const BuildFile file = parsed(
      R"({"content": ["c"], "outputs": {"zips": {"folder": "z", "align": 64, "store": ["*.wav"],
          "keep_compression": true, "compress": ["*.txt"], "sort_directory": true}}})");
  const RewriteOptions& rewrite = file.zips->rewrite;
  EXPECT_EQ(rewrite.alignment.bytes, 64U);
  EXPECT_TRUE(rewrite.alignment.is_for_all);
  EXPECT_EQ(rewrite.compression, Compression::keep);
  EXPECT_TRUE(rewrite.sort_directory);
  ASSERT_EQ(rewrite.rules.size(), 2U);
  EXPECT_EQ(rewrite.rules[1].glob, "*.txt");
  EXPECT_EQ(rewrite.rules[1].compression, Compression::deflate);
  EXPECT_THAT(refused(R"({"content": ["c"], "outputs": {"zips": {"folder": "z", "align": 48}}})"),
              HasSubstr("align"));
}

TEST(BuildFile, recordings_in_the_content_are_no_content) {
  const BuildFile file = parsed(
      R"({"content": ["."], "exclude": [".seekless/**", "p/**"],
          "traces": ["traces/*.lz4", "here.trace", "../there/*.lz4"],
          "outputs": {"packs": {"folder": "p"}}})");
  EXPECT_THAT(file.scan.exclude, ElementsAre(".seekless/**", "p/**", "traces/*.lz4"));
}

TEST(BuildFile, outputs_may_lie_in_the_content_only_where_it_is_excluded) {
  EXPECT_THAT(refused(R"({"content": ["."], "outputs": {"packs": {"folder": "p"}}})"),
              HasSubstr("exclude '.seekless/**'"));
  EXPECT_THAT(refused(R"({"content": ["."], "exclude": [".seekless/**"],
                          "outputs": {"packs": {"folder": "p"}}})"),
              HasSubstr("exclude 'p/**'"));
  parsed(R"({"content": ["."], "exclude": [".seekless/**", "p/**"],
             "outputs": {"packs": {"folder": "p"}}})");
  refused(R"({"content": ["p/content"], "outputs": {"packs": {"folder": "p"}}})");
  refused(R"({"content": ["c"], "outputs": {"packs": {"folder": "p"}, "zips": {"folder": "p"}}})");
}

// An output that is written as a whole folder refuses other files, so the next build would fail.
TEST(BuildFile, nothing_else_is_written_into_an_output) {
  for (const auto& [key, text] : {std::pair("lock", R"("lock": "p/layout.lock")"),
                                  {"lock", R"("lock": "p")"},
                                  {"report, html", R"("report": {"html": "p/sub/report.html"})"},
                                  {"report, markdown", R"("report": {"markdown": "z/report.md"})"},
                                  {"report, json", R"("report": {"json": "p/../p/report.json"})"},
                                  {"state", R"("state": "p/state")"}})
    EXPECT_THAT(refused(fmt::format(
                    R"({{"content": ["c"], "outputs": {{"packs": {{"folder": "p"}},
                        "zips": {{"folder": "z"}}}}, {}}})",
                    text)),
                testing::AllOf(HasSubstr(key), HasSubstr("outside of the")))
        << text;
  EXPECT_THAT(refused(R"({"content": ["c"], "outputs": {"packs": {"folder": "o"},
                          "zips": {"folder": "o/z"}}})"),
              HasSubstr("outside of the other outputs"));
  EXPECT_TRUE(parse_build_file(R"({"content": ["c"], "lock": "p.lock", "state": "s",
                                   "outputs": {"packs": {"folder": "s/p"}}})",
                               kPath));
}

TEST(BuildFile, refuses_what_it_doesnt_know_or_cant_mean) {
  const std::string outputs = R"("outputs": {"packs": {"folder": "p"}})";
  for (const std::string& text : std::vector<std::string>{
           "",
           "{",
           "[]",
           "{}",
           R"({"content": ["c"]})",
           "{" + outputs + "}",
           R"({"content": "c", )" + outputs + "}",
           R"({"content": [""], )" + outputs + "}",
           R"({"content": [1], )" + outputs + "}",
           R"({"content": ["a\u0000b"], )" + outputs + "}",
           R"({"content": ["c"], "outputs": {}})",
           R"({"content": ["c"], "outputs": []})",
           R"({"content": ["c"], "outputs": {"packs": {}}})",
           R"({"content": ["c"], "outputs": {"packs": {"folder": "p", "codec": "zstd"}}})",
           R"({"content": ["c"], "map": ["nothing"], )" + outputs + "}",
           R"({"content": ["c"], "mark": ["soon=x"], )" + outputs + "}",
           R"({"content": ["c"], "block": 65537, )" + outputs + "}",
           R"({"content": ["c"], "align": {"*": 3}, )" + outputs + "}",
           R"({"content": ["c"], "align": ["*"], )" + outputs + "}",
           R"({"content": ["c"], "threads": 65, )" + outputs + "}",
           R"({"content": ["c"], "threads": -1, )" + outputs + "}",
           R"({"content": ["c"], "lenient": 1, )" + outputs + "}",
           R"({"content": ["c"], "report": {"pdf": "x"}, )" + outputs + "}"})
    refused(text);
  EXPECT_THAT(refused(R"({"contents": ["c"]})"), HasSubstr("'content'?"));
  EXPECT_THAT(refused(R"({"content": ["c"], "outputs": {"packs": {"foldr": "p"}}})"),
              HasSubstr("'folder'"));
}

TEST(BuildFile, paths_start_from_a_folder_and_are_made_plain) {
  EXPECT_EQ(path_from("/a/b", "c"), on_drive("/a/b/c"));
  EXPECT_EQ(path_from("/a/b", "../c/./d/"), on_drive("/a/c/d"));
  EXPECT_EQ(path_from("/a/b", "/c"), on_drive("/c"));
  EXPECT_EQ(path_from("/", "."), on_drive("/"));
}

}  // namespace
}  // namespace seekless

// Tests made-up traces as text and JSON.
#include "packer/answer/trace_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

ImportReport sample_import() {
  ImportReport report;
  report.dialect = "strace";
  report.scenario = "menu";
  report.events = 3;
  report.reads = 2;
  report.read_bytes = 65546;
  report.paths = 1;
  report.span_ns = 1'500'000'000;
  return report;
}

TEST(TraceText, says_what_an_import_holds_and_left_out) {
  ImportedTrace imported = {"in.strace", "out.jsonl", sample_import()};
  EXPECT_EQ(to_text(imported),
            "out.jsonl: menu from strace: 3 events, 2 reads of 65546 bytes from 1 file in 1.5 s");
  imported.report.unparsed_lines = 1;
  imported.report.first_unparsed = {{7, "junk"}};
  EXPECT_TRUE(
      to_text(imported).ends_with("\n  left out: 1 line that can't be parsed, 0 reads by --only"));
  EXPECT_THAT(warnings_of(imported, false),
              ElementsAre("in.strace: line 7: can't be parsed, and is left out: 'junk'"));
  EXPECT_FALSE(to_json(ImportAnswer{{imported}})["inputs"][0].contains("read_rows"));
}

TEST(TraceText, names_alone_tell_no_bytes) {
  ImportedTrace imported = {"in.txt", "out.jsonl", sample_import()};
  imported.report.read_bytes = 0;
  EXPECT_THAT(to_text(imported), testing::HasSubstr("2 reads of whole files from 1 file"));
}

TEST(TraceText, a_program_has_an_exit_code_or_a_signal) {
  RecordedTrace recorded = {.output = "o", .program = "game", .report = sample_import()};
  EXPECT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_EQ(to_json(recorded)["exit_code"], 0);
  EXPECT_TRUE(to_json(recorded)["signal"].is_null());
  recorded.signal = 9;
  EXPECT_EQ(lines_of(recorded)[0], "game was ended by signal 9; what it read until then is kept");
  EXPECT_TRUE(to_json(recorded)["exit_code"].is_null());
  EXPECT_EQ(to_json(recorded)["signal"], 9);
}

}  // namespace
}  // namespace seekless

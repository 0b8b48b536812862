// Tests Process Monitor's CSV with other settings, locales and accidents.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/internal/cached_ranges.h"
#include "packer/trace/procmon_events.h"
#include "tests/trace/imported.h"
#include "tests/trace/procmon_log.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> csv_reads(const std::string& text, uint64_t unparsed = 0) {
  Trace trace;
  const auto report = import_leniently(text, trace);
  EXPECT_TRUE(report) << report.error().message;
  if (report) {
    EXPECT_EQ(report->unparsed_lines, unparsed);
  }
  return reads_of(trace, kMicrosecond);
}

std::string read_row(const std::string& time, const std::string& detail,
                     const std::string& path = "C:\\g\\a", const std::string& result = "SUCCESS") {
  return fmt::format("\"{}\",\"g.exe\",\"7\",\"ReadFile\",\"{}\",\"{}\",\"{}\"\r\n", time, path,
                     result, detail);
}

// The same four rows, with a locale's form of times and numbers.
struct Locale {
  const char* name;
  std::vector<std::string> times;
  std::string thousand;
};

class ProcmonLocale : public testing::TestWithParam<Locale> {};

TEST_P(ProcmonLocale, a_whole_log_gives_the_same_reads) {
  const auto& [name, times, thousand] = GetParam();
  const std::string log =
      kBom + kCsvHeader +
      read_row(times[0], fmt::format("Offset: 0, Length: 16{0}384, Priority: Normal", thousand)) +
      read_row(times[1], fmt::format("Offset: 100{0}345{0}344, Length: 65{0}536, I/O Flags: "
                                     "Non-cached, Paging I/O, Priority: Normal",
                                     thousand)) +
      read_row(times[2], fmt::format("Offset: 16{0}384, Length: 4{0}096", thousand)) +
      read_row(times[3], fmt::format("Offset: 20{0}480, Length: 32{0}766", thousand), "C:\\g\\a",
               "END OF FILE");
  Trace trace;
  const auto report = import_text(log, trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(reads_of(trace, kMicrosecond),
              ElementsAre("0 C:\\g\\a 0+16384", "1000000 C:\\g\\a 100345344+65536",
                          "43200500000 C:\\g\\a 16384+4096"))
      << "at the end of the file, nothing is read";
  EXPECT_EQ(report->read_rows, 4U);
  EXPECT_EQ(report->empty_read_rows, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    All, ProcmonLocale,
    testing::Values(
        Locale{"en_US", {"4:33:26.5 AM", "4:33:27.5 AM", "4:33:27.0 PM", "4:33:27.5 PM"}, ","},
        Locale{"de_DE", {"04:33:26,5", "04:33:27,5", "16:33:27,0", "16:33:27,5"}, "."},
        Locale{"fr_FR", {"04:33:26,5", "04:33:27,5", "16:33:27,0", "16:33:27,5"}, "\xe2\x80\xaf"},
        Locale{"ru_RU", {"4:33:26,5", "4:33:27,5", "16:33:27,0", "16:33:27,5"}, "\xc2\xa0"},
        Locale{"zh_CN", {"4:33:26.5", "4:33:27.5", "16:33:27.0", "16:33:27.5"}, ","},
        Locale{"zh_TW",
               {"上午 04:33:26.5", "上午 04:33:27.5", "下午 04:33:27.0", "下午 04:33:27.5"},
               ","},
        Locale{"vi_VN", {"4:33:26,5 SA", "4:33:27,5 SA", "4:33:27,0 CH", "4:33:27,5 CH"}, "."},
        Locale{"ar_EG", {"4:33:26.5 ص", "4:33:27.5 ص", "4:33:27.0 م", "4:33:27.5 م"}, ","},
        Locale{"es_MX",
               {"4:33:26.5 a.\xc2\xa0m.", "4:33:27.5 a. m.", "4:33:27.0 p. m.", "4:33:27.5 p. m."},
               ","},
        Locale{"fi_FI", {"4.33.26,5", "4.33.27,5", "16.33.27,0", "16.33.27,5"}, "\xc2\xa0"}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(ProcmonTime, a_mark_of_the_half_of_the_day_stands_alone) {
  constexpr int64_t kFour = 4 * int64_t{3600} * 1'000'000'000;
  EXPECT_EQ(procmon_time_of_day("4:00:00 PM"), 4 * kFour);
  EXPECT_EQ(procmon_time_of_day("4:00:00 CH"), 4 * kFour);
  for (const char* other : {"4:00:00 CHAM", "4:00:00 CET", "4:00:00 (SAST)", "4:00:00 EPM",
                            "CHECK 4:00:00", "4:00:00 مم"})
    EXPECT_EQ(procmon_time_of_day(other), kFour) << other;
}

TEST(ProcmonCsv, text_in_utf16_is_read_in_either_order) {
  const std::string log = kCsvHeader + read_row("1:00:00", "Offset: 1, Length: 2");
  std::string little = "\xff\xfe";
  std::string big = "\xfe\xff";
  for (const char c : log) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  EXPECT_THAT(csv_reads(little), ElementsAre("0 C:\\g\\a 1+2"));
  EXPECT_THAT(csv_reads(big), ElementsAre("0 C:\\g\\a 1+2"));
}

TEST(ProcmonCsv, columns_come_in_any_order_and_number) {
  Trace trace;
  ASSERT_TRUE(import_text(kBom +
                              "\"Detail\",\"Date & Time\",\"TID\",\"Path\",\"Duration\",\"PID\","
                              "\"Result\",\"Time of Day\",\"Operation\"\n"
                              "\"Offset: 1, Length: 2\",\"7/12/2020 1:18:10 AM\",\"9\",\"C:\\g\","
                              "\"0,0000074\",\"7\",\"SUCCESS\",\"1:00:00\",\"ReadFile\"\n",
                          trace));
  ASSERT_THAT(reads_of(trace, kMicrosecond), ElementsAre("0 C:\\g 1+2"));
  EXPECT_EQ(trace.events[0].duration_ns, 7400);
  EXPECT_EQ(trace.events[0].process, 7U);
  EXPECT_EQ(trace.events[0].thread, 9U);
}

TEST(ProcmonCsv, without_threads_a_process_is_one) {
  Trace trace;
  ASSERT_TRUE(import_text(kCsvHeader + read_row("1:00:00", "Offset: 1, Length: 2"), trace));
  ASSERT_FALSE(trace.events.empty());
  EXPECT_EQ(trace.events[0].thread, 7U);
  EXPECT_EQ(trace.events[0].duration_ns, kUnknownDuration);
}

TEST(ProcmonCsv, numbers_may_be_hexadecimal_or_of_any_code_page) {
  EXPECT_THAT(csv_reads(kCsvHeader +
                        read_row("1:00:00", "Offset: 0x4000, Length: 0x4000, Priority: Normal") +
                        read_row("1:00:01",
                                 "Offset: 655\xa0"
                                 "360, Length: 16\xff"
                                 "384") +
                        read_row("1:00:02", "Offset: 10,03,45,344, Length: 16?384")),
              ElementsAre("0 C:\\g\\a 16384+16384", "1000000 C:\\g\\a 655360+16384",
                          "2000000 C:\\g\\a 100345344+16384"));
  std::string hex = kCsvHeader + read_row("1:00:00", "Offset: 1, Length: 2");
  hex.replace(hex.find("\"7\""), 3, "\"0xB54\"");
  Trace trace;
  ASSERT_TRUE(import_text(hex, trace));
  EXPECT_EQ(trace.events.at(0).process, 0xb54U);
}

TEST(ProcmonCsv, a_number_that_does_not_end_with_its_field_is_no_number) {
  for (const char* detail :
       {"Offset: 0, Length: 16384 B",
        "Offset: 0, Length: 640\xb5"
        "360",
        "Offset: 1,5, Length: 2", "Offset: 0, Length: 0xg", "Offset: , Length: 2"})
    EXPECT_THAT(csv_reads(kCsvHeader + read_row("1:00:00", detail), 1), IsEmpty()) << detail;
}

TEST(ProcmonCsv, other_programs_may_put_lines_before_the_columns_names) {
  const std::string row = read_row("1:00:00", "Offset: 1, Length: 2");
  for (const char* front :
       {"#TYPE Selected.System.Management.Automation.PSCustomObject\r\n", "sep=,\r\n",
        "\"sep=,\"\n", "\r\n\r\n", "# saved by hand, twice\n# and again\n",
        "\xef\xbb\xbfsep=,\n#TYPE x\n"})
    EXPECT_THAT(csv_reads(front + kCsvHeader + row), ElementsAre("0 C:\\g\\a 1+2")) << front;
  std::string other = kCsvHeader + row;
  for (size_t at = 0; (at = other.find("\",\"", at)) != std::string::npos;) other[at + 1] = '|';
  EXPECT_THAT(csv_reads("sep=|\n" + other), ElementsAre("0 C:\\g\\a 1+2"));
}

TEST(ProcmonCsv, a_quoted_field_may_hold_line_ends_and_quotes) {
  EXPECT_THAT(csv_reads(kCsvHeader + read_row("1:00:00", "Offset: 1,\r\nLength: 2,\n\n x") +
                        read_row("1:00:01", "Offset: 3, Length: 4, \"\"said\"\"", "C:\\\"\"b\"\"")),
              ElementsAre("0 C:\\g\\a 1+2", "1000000 C:\\\"b\" 3+4"));
}

TEST(ProcmonCsv, rows_of_another_number_of_columns_are_counted) {
  EXPECT_THAT(csv_reads(kCsvHeader + "\"1:00:00\",\"g.exe\"\r\n" +
                            read_row("1:00:01", "Offset: 1, Length: 2") +
                            "\"1:00:00\",\"g\",\"7\",\"ReadFile\",\"C:\\\",\"SUCCESS\","
                            "\"Offset: 1, Length: 2\",\"more\"\r\n",
                        2),
              ElementsAre("0 C:\\g\\a 1+2"));
}

TEST(ProcmonCsv, an_unclosed_quote_costs_its_line_only) {
  std::string log = kCsvHeader + read_row("1:00:00", "Offset: 1, Length: 2");
  log +=
      "\"1:00:01\",\"g.exe\",\"7\",\"ReadFile\",\"C:\\g\\b,\"SUCCESS\",\"Offset: 1, Length: "
      "2\"\r\n";
  for (int i = 2; i < 50; ++i)
    log += read_row(fmt::format("1:00:{:02}", i), "Offset: 1, Length: 2");
  EXPECT_EQ(csv_reads(log, 1).size(), 49U);
}

TEST(ProcmonCsv, a_last_row_that_is_cut_anywhere_is_left_out) {
  const std::string front = kCsvHeader + read_row("1:00:00", "Offset: 1, Length: 2");
  const std::string last = read_row("1:00:01", "Offset: 3, Length: 4");
  for (size_t size = 1; size < last.size() - 2; ++size)
    EXPECT_THAT(csv_reads(front + last.substr(0, size)), ElementsAre("0 C:\\g\\a 1+2")) << size;
}

TEST(ProcmonCsv, a_log_cut_in_its_header_is_refused) {
  for (size_t size = 0; size < kCsvHeader.size() - 4; ++size) {
    Trace trace;
    EXPECT_FALSE(import_leniently(kCsvHeader.substr(0, size), trace)) << size;
  }
}

TEST(ProcmonCsv, the_csv_of_another_tool_is_told_what_is_missing) {
  Trace trace;
  const auto report =
      import_leniently("\"Name\",\"Size\",\"Path\"\r\n\"a\",\"1\",\"b\"\r\n", trace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("Process Monitor"));
  EXPECT_THAT(report.error().message, HasSubstr("'Time of Day', 'PID', 'Operation'"));
  EXPECT_THAT(report.error().message, HasSubstr("\"Size\""));
}

TEST(ProcmonCsv, at_the_end_of_a_file_nothing_is_read) {
  Trace trace;
  const auto report = import_leniently(
      kCsvHeader + read_row("1:00:00", "Offset: 0, Length: 200") +
          read_row("1:00:01", "Offset: 200, Length: 8,192", "c:\\G\\A", "END OF FILE") +
          read_row("1:00:02", "Offset: 227, Length: 32,766", "C:\\b", "END OF FILE") +
          read_row("1:00:03", "Offset: 0, Length: 1", "C:\\empty", "END OF FILE"),
      trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(reads_of(trace, kMicrosecond), ElementsAre("0 C:\\g\\a 0+200"));
  EXPECT_EQ(report->read_rows, 4U);
  EXPECT_EQ(report->empty_read_rows, 3U);
  EXPECT_THAT(report->warnings, IsEmpty());
}

TEST(ProcmonCsv, a_paging_read_is_explained_by_a_cached_read_soon_after_or_before) {
  const std::string paging = ", I/O Flags: Non-cached, Paging I/O, Priority: Normal";
  EXPECT_THAT(
      csv_reads(kCsvHeader + read_row("1:00:00", "Offset: 65,536, Length: 65,536" + paging) +
                read_row("1:00:01", "Offset: 131,072, Length: 4,096" + paging) +
                read_row("1:00:02", "Offset: 0, Length: 4,096") +
                read_row("1:00:03", "Offset: 0, Length: 32,768" + paging, "C:\\G\\A") +
                read_row("1:00:04", "Offset: 65,536, Length: 4,096") +
                read_row("1:00:05", "Offset: 0, Length: 4,096" + paging, "C:\\other")),
      ElementsAre("1000000 C:\\g\\a 131072+4096", "2000000 C:\\g\\a 0+4096",
                  "4000000 C:\\g\\a 65536+4096", "5000000 C:\\other 0+4096"));
}

TEST(CachedRanges, know_what_was_added_and_nothing_more) {
  CachedRanges ranges;
  ranges.add(1, 10, 20);
  ranges.add(1, 30, 40);
  ranges.add(1, 15, 30);
  EXPECT_TRUE(ranges.touches(1, 0, 11));
  EXPECT_TRUE(ranges.touches(1, 39, 100));
  EXPECT_FALSE(ranges.touches(1, 0, 10));
  EXPECT_FALSE(ranges.touches(1, 40, 50));
  EXPECT_FALSE(ranges.touches(2, 10, 20));
}

TEST(CachedRanges, forget_what_was_added_first) {
  CachedRanges ranges(100);
  for (uint64_t i = 0; i < 1000; ++i) ranges.add(1, i * 10, i * 10 + 1);
  EXPECT_FALSE(ranges.touches(1, 0, 7990));
  EXPECT_TRUE(ranges.touches(1, 9900, 9901));
  EXPECT_TRUE(ranges.touches(1, 9990, 9991));
}

}  // namespace
}  // namespace seekless

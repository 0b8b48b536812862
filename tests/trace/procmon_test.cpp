#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/procmon_events.h"
#include "tests/trace/imported.h"
#include "tests/trace/procmon_log.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string row(const std::string& time, const std::string& detail,
                const std::string& operation = "ReadFile", const std::string& result = "SUCCESS") {
  return fmt::format("\"{}\",\"g.exe\",\"7\",\"{}\",\"C:\\g\\a\",\"{}\",\"{}\"\r\n", time,
                     operation, result, detail);
}

TEST(Procmon, times_of_day_of_many_locales_are_read) {
  constexpr int64_t kAfternoon = 59606'832631500;
  for (const char* text : {"4:33:26.8326315 PM", "16:33:26,8326315", "16.33.26,8326315",
                           "下午 4:33:26.8326315", "4:33:26,8326315 p.m."})
    EXPECT_EQ(procmon_time_of_day(text), kAfternoon) << text;
  EXPECT_EQ(procmon_time_of_day("12:00:00.0 AM"), 0);
  EXPECT_FALSE(procmon_time_of_day("25:00:00"));
  EXPECT_FALSE(procmon_time_of_day("noon"));
}

TEST(Procmon, numbers_have_any_separator_of_thousands) {
  for (const char* text : {"Offset: 1,234,567, Length: 1", "Offset: 1.234.567, Length: 1",
                           "Offset: 1\xc2\xa0"
                           "234\xc2\xa0"
                           "567, Length: 1",
                           "Offset: 1\xe2\x80\xaf"
                           "234\xe2\x80\xaf"
                           "567, Length: 1",
                           "Offset: 1'234'567, Length: 1", "Offset: 1 234 567, Length: 1"})
    EXPECT_EQ(procmon_number(text, "Offset: "), 1234567U) << text;
  EXPECT_FALSE(procmon_number("Offset: n/a", "Offset: "));
}

TEST(ProcmonCsv, paging_reads_count_only_where_no_cached_read_explains_them) {
  Trace trace;
  const auto report = import_leniently(
      kBom + kCsvHeader + row("23:59:59,5", "Offset: 0, Length: 16.384") +
          row("23:59:59,6", "Offset: 4.096, Length: 4.096, I/O Flags: Non-cached, Paging I/O") +
          row("0:00:00,5", "Offset: 65.536, Length: 4.096, I/O Flags: Non-cached, Paging I/O") +
          row("0:00:01,5", "Desired Access: Read", "CreateFile", "NAME NOT FOUND") +
          row("0:00:01,6", "Offset: 69.632, Length: 9", "ReadFile", "END OF FILE"),
      trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->dialect, "procmon-csv");
  EXPECT_THAT(reads_of(trace), ElementsAre("0 C:\\g\\a 0+16384", "1000000000 C:\\g\\a 65536+4096"));
  EXPECT_EQ(report->read_rows, 4U);
  EXPECT_EQ(report->paging_rows, 2U);
  EXPECT_EQ(report->explained_paging_rows, 1U);
  EXPECT_EQ(report->failed_opens, 1U);
}

TEST(ProcmonCsv, a_log_without_a_column_is_refused_by_the_columns_name) {
  Trace trace;
  const auto report =
      import_leniently("\"Time of Day\",\"PID\",\"Operation\",\"Path\",\"Result\"\r\n", trace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("'Detail'"));
}

TEST(ProcmonPml, a_header_cut_anywhere_is_an_error) {
  for (size_t size = 4; size < 0x3a8; size += 7) {
    Trace trace;
    EXPECT_FALSE(import_leniently("PML_\x09" + std::string(size, '\0'), trace)) << size;
  }
}

}  // namespace
}  // namespace seekless

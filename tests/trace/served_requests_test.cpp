// Tests tables of served requests in each form.
#include "packer/trace/served_requests.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;

Result<ServedRequests> read_text_as_requests(const std::string& text,
                                             const std::string& disk = {}) {
  const auto path = std::filesystem::path(testing::TempDir()) / "served-requests";
  std::ofstream(path, std::ios::binary) << text;
  auto served = read_served_requests(path.string(), disk);
  std::filesystem::remove(path);
  return served;
}

std::string refusal_of(const std::string& text) {
  const auto served = read_text_as_requests(text);
  return served ? "it was accepted" : served.error().message;
}

TEST(ServedRequests, reads_csv_in_bytes_and_milliseconds) {
  const auto served = read_text_as_requests(
      "# made by hand\n"
      "position_bytes,length_bytes,kind,response_ms,pause_ms,note\n"
      "4096,8192,R,12.5,3,x\n"
      "0, 512, write, 0.25, 0, y");
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->form, "requests");
  ASSERT_EQ(served->requests.size(), 2u);
  EXPECT_EQ(served->requests[0].position_bytes, 4096u);
  EXPECT_EQ(served->requests[0].length_bytes, 8192u);
  EXPECT_TRUE(served->requests[0].is_read);
  EXPECT_DOUBLE_EQ(served->requests[0].response_ms, 12.5);
  EXPECT_DOUBLE_EQ(served->requests[0].pause_ms, 3);
  EXPECT_FALSE(served->requests[1].is_read);
}

TEST(ServedRequests, reads_csv_in_sectors_and_microseconds_in_any_order) {
  const auto served =
      read_text_as_requests("response_us,kind,length_sectors,position_sectors\n1500,r,8,100\n");
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->requests[0].position_bytes, 51200u);
  EXPECT_EQ(served->requests[0].length_bytes, 4096u);
  EXPECT_DOUBLE_EQ(served->requests[0].response_ms, 1.5);
  EXPECT_EQ(served->requests[0].pause_ms, 0);
}

TEST(ServedRequests, reads_csv_of_spreadsheets) {
  for (const char separator : {';', '\t'}) {
    std::string text = "position_bytes,length_bytes,kind,response_ms\n4096,512,R,2\n";
    std::ranges::replace(text, ',', separator);
    const auto served = read_text_as_requests(text);
    ASSERT_TRUE(served) << served.error().message;
    EXPECT_EQ(served->requests[0].position_bytes, 4096u);
  }
}

TEST(ServedRequests, of_a_table_have_no_disk_to_choose) {
  const auto served =
      read_text_as_requests("position_bytes,length_bytes,kind,response_ms\n0,512,R,2\n", "sda");
  ASSERT_FALSE(served);
  EXPECT_THAT(served.error().message, HasSubstr("--disk: expected a log that names disks"));
}

TEST(ServedRequests, takes_the_beginning_of_a_very_long_log) {
  std::string text;
  for (size_t i = 0; i <= kMaxServedRequests; ++i) text += "R Hit 8 4 1000.0 2.0\n";
  const auto served = read_text_as_requests(text);
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->requests.size(), kMaxServedRequests);
  EXPECT_THAT(served->warnings, testing::ElementsAre(HasSubstr("only the first 262144 requests")));
}

TEST(ServedRequests, of_a_long_log_are_those_of_the_chosen_disk) {
  std::string text = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n";
  for (size_t i = 0; i <= kMaxServedRequests; ++i) text += "0.1 game 7 nvme0n1 R 8 4096 0.1\n";
  text += "0.2 game 7 sda R 16 4096 9.5\n";
  const auto served = read_text_as_requests(text, "sda");
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->requests.size(), 1u);
  EXPECT_TRUE(served->warnings.empty());
}

TEST(ServedRequests, warns_of_lines_that_are_left_out) {
  std::string text = "R Hit 8 4 1000.0 2.0\nwhat?\n";
  for (int i = 0; i < 20; ++i) text += "R Hit 8 4 1000.0 2.0\n";
  const auto served = read_text_as_requests(text);
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->unparsed_lines, 1u);
  EXPECT_THAT(served->warnings,
              testing::ElementsAre(HasSubstr("1 of 22 lines are no requests of the form disksim, "
                                             "and are left out, such as line 2: 'what?'")));
}

TEST(ServedRequests, takes_pauses_from_the_starts) {
  const auto served = read_text_as_requests(
      "start_ms,position_bytes,length_bytes,kind,response_ms\n10,0,512,R,5\n18,0,512,R,4\n"
      "20,4096,512,R,6\n");
  ASSERT_TRUE(served) << served.error().message;
  ASSERT_EQ(served->requests.size(), 3u);
  EXPECT_NEAR(served->requests[0].pause_ms, 3, 1e-6);
  EXPECT_NEAR(served->requests[2].response_ms, 4, 1e-6);  // it waited until 22
  EXPECT_EQ(served->queued_requests, 1u);
}

TEST(ServedRequests, names_the_column_that_is_missing) {
  EXPECT_THAT(refusal_of("position_bytes,kind,response_ms\n0,R,1\n"), HasSubstr("length_bytes"));
  EXPECT_THAT(refusal_of("position,length_bytes,kind,response_ms\n0,1,R,1\n"),
              HasSubstr("position_bytes or position_sectors"));
  EXPECT_THAT(refusal_of("position_bytes,length_bytes,kind,response\n0,1,R,1\n"),
              HasSubstr("response_ms"));
}

TEST(ServedRequests, refuses_numbers_that_are_none) {
  const std::string head = "position_bytes,length_bytes,kind,response_ms\n";
  for (const char* row :
       {"nan,512,R,1", "0,512,R,nan", "0,512,R,inf", "-1,512,R,1", "0,512,R,-1", "1e300,512,R,1",
        "0,512,X,1", "0,0,R,1", "0,512,R", "0,512,R,1,1", "\xff"})
    EXPECT_THAT(refusal_of(head + row + "\n"), HasSubstr("line 2")) << row;
}

TEST(ServedRequests, reads_disksims_validation_format_and_skips_short_lines) {
  std::string text = "R Hit    2992396   4  13670.00000  35942.00000\n";
  for (const char* cache : {"Miss", "Trip"})
    for (int i = 0; i < 10; ++i) text += fmt::format("W {} 8 16 500.0 100.0\n", cache);
  const auto served = read_text_as_requests(text + "R Hit\n\n");
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->form, "disksim");
  ASSERT_EQ(served->requests.size(), 21u);
  EXPECT_EQ(served->unparsed_lines, 1u);
  EXPECT_EQ(served->requests[0].position_bytes, 2992396u * 512);
  EXPECT_DOUBLE_EQ(served->requests[0].response_ms, 13.67);
  EXPECT_DOUBLE_EQ(served->requests[1].pause_ms, 0.1);
}

TEST(ServedRequests, matches_blkparses_issues_and_completions) {
  const auto served = read_text_as_requests(
      "  8,0    3        1     0.000000000   594  D   R 1000 + 16 [game]\n"
      "  8,0    3        2     0.012000000   594  C   R 1000 + 16 [0]\n"
      "  8,0    3        3     0.020000000   594  D  WS 5000 + 8 [game]\n"
      "  8,0    3        4     0.021000000   594  D   R 9000 + 8 [game]\n"
      "  8,0    3        5     0.022000000   594  C  WS 5000 + 8 [0]\n"
      "  8,0    3        6     0.025000000   594  C   R 9000 + 8 [0]\n"
      "  8,0    3        7     0.030000000   594  C   R 7000 + 8 [0]\n");
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->form, "blkparse");
  EXPECT_EQ(served->disk, "8:0");
  ASSERT_EQ(served->requests.size(), 3u);
  EXPECT_EQ(served->requests[0].position_bytes, 512'000u);
  EXPECT_NEAR(served->requests[0].response_ms, 12, 1e-9);
  EXPECT_NEAR(served->requests[0].pause_ms, 8, 1e-9);
  EXPECT_FALSE(served->requests[1].is_read);
  EXPECT_NEAR(served->requests[2].response_ms, 3, 1e-9);
  EXPECT_EQ(served->queued_requests, 1u);
  ASSERT_EQ(served->warnings.size(), 1u);
  EXPECT_THAT(served->warnings[0], HasSubstr("1 requests have no line of their issue"));
}

TEST(ServedRequests, joins_what_the_system_took_apart) {
  const auto served = read_text_as_requests(
      "  8,0    3        1     0.000000000   594  D   R 1000 + 1024 [game]\n"
      "  8,0    3        2     0.000010000   594  D   R 2024 + 1024 [game]\n"
      "  8,0    3        3     0.000020000   594  D   R 9000 + 8 [game]\n"
      "  8,0    3        4     0.012000000   594  C   R 1000 + 1024 [0]\n"
      "  8,0    3        5     0.016000000   594  C   R 2024 + 1024 [0]\n"
      "  8,0    3        6     0.025000000   594  C   R 9000 + 8 [0]\n"
      "  8,0    3        7     0.026000000   594  D   R 9008 + 8 [game]\n"
      "  8,0    3        8     0.027000000   594  C   R 9008 + 8 [0]\n");
  ASSERT_TRUE(served) << served.error().message;
  ASSERT_EQ(served->requests.size(), 3u);
  EXPECT_EQ(served->requests[0].length_bytes, 2048u * 512);
  EXPECT_NEAR(served->requests[0].response_ms, 16, 1e-9);
  EXPECT_NEAR(served->requests[1].response_ms, 9, 1e-9);
  // This request goes on, too, but it was asked for later.
  EXPECT_NEAR(served->requests[1].pause_ms, 1, 1e-9);
  EXPECT_EQ(served->queued_requests, 1u);
}

TEST(ServedRequests, reads_biosnoop_and_chooses_a_disk) {
  const std::string log =
      "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n"
      "0.010000    game           3284   sda     R 1000       16384  8.00\n"
      "0.030000    game           3284   sda     W 2000       4096   2.00\n"
      "0.040000    game           3284   sdb     R 3000       4096   1.00\n";
  const auto busiest = read_text_as_requests(log);
  ASSERT_TRUE(busiest) << busiest.error().message;
  EXPECT_EQ(busiest->form, "biosnoop");
  EXPECT_EQ(busiest->disk, "sda");
  ASSERT_EQ(busiest->requests.size(), 2u);
  EXPECT_NEAR(busiest->requests[0].response_ms, 8, 1e-6);
  EXPECT_NEAR(busiest->requests[0].pause_ms, 18, 1e-6);
  EXPECT_FALSE(busiest->requests[1].is_read);
  EXPECT_THAT(busiest->warnings.at(0), HasSubstr("sda, sdb"));
  const auto other = read_text_as_requests(log, "sdb");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->requests.size(), 1u);
  const auto none = read_text_as_requests(log, "sdc");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::usage);
}

TEST(ServedRequests, passes_over_rows_of_biosnoop_without_a_disk) {
  std::string log = "TIME(s)        COMM           PID    DISK    T  SECTOR    BYTES   LAT(ms)\n";
  for (const char* second : {"1", "3", "5"}) {
    log += second;
    log +=
        ".010000000    ?              0              R  -1        8          1.09\n"
        "4.105634000    kworker/5:1    17199  sda     W  105815168 4096       0.04\n";
  }
  const auto served = read_text_as_requests(log);
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->requests.size(), 3u);
  EXPECT_EQ(served->unparsed_lines, 0u);
}

TEST(ServedRequests, refuses_what_is_no_table) {
  EXPECT_THAT(refusal_of(""), HasSubstr("an empty file"));
  EXPECT_THAT(refusal_of("hello\n"), HasSubstr("'hello'"));
  EXPECT_THAT(refusal_of(std::string(5000, '\0')), HasSubstr("expected a table of requests"));
  EXPECT_THAT(refusal_of("position_bytes,length_bytes,kind,response_ms\n"), HasSubstr("none"));
}

TEST(ServedRequests, refuses_every_truncation_or_reads_what_is_there) {
  const std::string text =
      "position_bytes,length_bytes,kind,response_ms\n4096,8192,R,12.5\n0,512,W,0.25\n";
  for (size_t length = 0; length < text.size(); ++length) {
    const auto served = read_text_as_requests(text.substr(0, length));
    EXPECT_TRUE(!served || !served->requests.empty());
  }
}

}  // namespace
}  // namespace seekless

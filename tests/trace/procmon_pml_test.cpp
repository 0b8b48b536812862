// Tests Process Monitor's PML, built here byte by byte: both layouts, and tables that lie.
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/imported.h"
#include "tests/trace/procmon_log.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void put(std::string& bytes, size_t at, uint64_t number, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(number >> (8 * i) & 0xff);
}

struct PmlRead {
  uint64_t ticks = 1;
  uint64_t offset = 0;
  uint32_t length = 0;  // length asked for
  std::string path = "C:\\g\\a";
  uint32_t flags = 0;
  uint32_t status = 0;
  uint16_t operation = 23;
  uint16_t stack_depth = 3;
  std::string extra = {};  // bytes after the detail
  uint32_t gap_bytes = 0;  // bytes between the detail and `extra`
};

struct Pml {
  bool is_64bit = true;
  std::vector<PmlRead> reads = {};
  bool is_wide = false;  // paths are in UTF-16

  std::string event(const PmlRead& read) const {
    const size_t pointer = is_64bit ? 8 : 4;
    std::string path;
    for (const char c : read.path) path += is_wide ? std::string{c, '\0'} : std::string{c};
    const size_t path_at = 4 + 5 * pointer + 0x14;
    std::string detail(path_at + 4, '\0');
    put(detail, 8, read.flags, 4);
    put(detail, 0x10, read.length, 4);
    put(detail, is_64bit ? 0x20 : 0x18, read.offset, 8);
    put(detail, path_at, read.path.size() | (is_wide ? 0 : 0x8000), 2);
    detail += path;
    std::string front(0x34, '\0');
    put(front, 4, 99, 4);
    put(front, 8, 3, 4);
    put(front, 0xc, read.operation, 2);
    put(front, 0x14, 74, 8);
    put(front, 0x1c, 132'000'000'000'000'000 + read.ticks, 8);
    put(front, 0x24, read.status, 4);
    put(front, 0x28, read.stack_depth, 2);
    put(front, 0x2c, detail.size(), 4);
    const std::string whole = front + std::string(read.stack_depth * pointer, '\x11') + detail;
    std::string bytes = whole + std::string(read.gap_bytes, '\x22');
    if (!read.extra.empty()) {
      put(bytes, 0x30, bytes.size(), 4);
      bytes += read.extra;
    }
    return bytes;
  }

  // `offsets` gets the events' places; the table contains what it holds on return.
  std::string bytes(const std::function<void(std::vector<uint64_t>&)>& change = {}) const {
    std::string file(0x3a8, '\0');
    file.replace(0, 4, "PML_");
    put(file, 4, 9, 4);
    put(file, 8, is_64bit ? 1 : 0, 4);
    std::vector<uint64_t> offsets;
    for (const PmlRead& read : reads) {
      offsets.push_back(file.size());
      file += event(read);
    }
    if (change) change(offsets);
    put(file, 0x234, offsets.size(), 4);
    put(file, 0x248, file.size(), 8);
    for (const uint64_t offset : offsets) {
      file += std::string(5, '\0');
      put(file, file.size() - 5, offset, 5);
    }
    // There is one process, of index 0: the count, its index, its place, and the process.
    put(file, 0x250, file.size(), 8);
    file += std::string(20, '\0');
    put(file, file.size() - 20, 1, 4);
    put(file, file.size() - 12, 12, 4);
    put(file, file.size() - 4, 42, 4);
    return file;
  }
};

std::string length_behind(uint16_t size, uint32_t length) {
  std::string bytes(2 + size, '\0');
  put(bytes, 0, size, 2);
  if (size >= 4) put(bytes, 2, length, 4);
  return bytes;
}

// Checks that the log consists only of reads, and returns them.
std::vector<std::string> all_reads_of(const Trace& trace) {
  std::vector<std::string> reads = reads_of(trace);
  EXPECT_EQ(reads.size(), trace.events.size());
  return reads;
}

std::vector<std::string> pml_reads(const std::string& bytes) {
  Trace trace;
  const auto report = import_leniently(bytes, trace);
  EXPECT_TRUE(report) << report.error().message;
  return all_reads_of(trace);
}

TEST(ProcmonPml, both_layouts_and_both_kinds_of_paths_give_the_same) {
  for (const bool is_64bit : {false, true})
    for (const bool is_wide : {false, true}) {
      const Pml log{.is_64bit = is_64bit,
                    .reads = {{.ticks = 5, .offset = uint64_t{1} << 33, .length = 4096},
                              {.ticks = 8, .offset = 7, .length = 9, .path = "C:\\b", .flags = 3}},
                    .is_wide = is_wide};
      Trace trace;
      const auto report = import_leniently(log.bytes(), trace);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_THAT(all_reads_of(trace), ElementsAre("0 C:\\g\\a 8589934592+4096", "300 C:\\b 7+9"));
      EXPECT_EQ(trace.events[0].process, 42U);
      EXPECT_EQ(trace.events[0].thread, 99U);
      EXPECT_EQ(trace.events[0].duration_ns, 7400);
      EXPECT_EQ(report->paging_rows, 1U);
    }
}

TEST(ProcmonPml, the_length_that_came_counts) {
  for (const uint32_t gap_bytes : {0U, 6U})
    EXPECT_THAT(
        pml_reads(
            Pml{.reads = {{.length = 4096, .extra = length_behind(8, 231), .gap_bytes = gap_bytes}}}
                .bytes()),
        ElementsAre("0 C:\\g\\a 0+231"));
}

TEST(ProcmonPml, what_is_no_length_does_not_become_one) {
  // One is too short; the other is longer than what was asked for.
  for (const std::string& extra : {length_behind(2, 0), length_behind(8, 5000)})
    EXPECT_THAT(pml_reads(Pml{.reads = {{.length = 4096, .extra = extra}}}.bytes()),
                ElementsAre("0 C:\\g\\a 0+4096"));
  // The place is within the event itself.
  std::string log = Pml{.reads = {{.length = 4096}}}.bytes();
  put(log, 0x3a8 + 0x30, 0x34, 4);
  EXPECT_THAT(pml_reads(log), ElementsAre("0 C:\\g\\a 0+4096"));
}

TEST(ProcmonPml, an_event_named_twice_counts_once) {
  const Pml log{.reads = {{.length = 1}, {.ticks = 3, .length = 2, .stack_depth = 90}}};
  Trace trace;
  const auto report = import_leniently(
      log.bytes([](auto& offsets) { offsets.insert(offsets.begin(), offsets[0]); }), trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(all_reads_of(trace), ElementsAre("0 C:\\g\\a 0+1", "200 C:\\g\\a 0+2"));
  EXPECT_EQ(report->unparsed_lines, 1U);
}

TEST(ProcmonPml, events_out_of_order_are_read) {
  const Pml log{.reads = {{.ticks = 1, .length = 1}, {.ticks = 3, .length = 2}}};
  EXPECT_EQ(pml_reads(log.bytes([](auto& offsets) { std::swap(offsets[0], offsets[1]); })).size(),
            2U);
}

TEST(ProcmonPml, more_events_than_fit_are_refused) {
  const Pml log{.reads = {{.length = 1, .stack_depth = 60}, {.length = 2}}};
  Trace trace;
  const auto report = import_leniently(log.bytes([](auto& offsets) {
    const auto pair = offsets;
    for (int i = 0; i < 100; ++i) offsets.insert(offsets.end(), pair.begin(), pair.end());
  }),
                                       trace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("overlap"));
}

TEST(ProcmonPml, an_event_outside_of_the_file_is_an_error_with_its_place) {
  const Pml log{.reads = {{.length = 1}, {.length = 2}}};
  for (const uint64_t place : {uint64_t{1} << 39, uint64_t{0xffffffffff}}) {
    Trace trace;
    const auto report =
        import_leniently(log.bytes([&](auto& offsets) { offsets[1] = place; }), trace);
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message, HasSubstr(fmt::format("byte {}", place)));
  }
}

TEST(ProcmonPml, absurd_counts_are_errors) {
  const std::string log = Pml{.reads = {{.length = 1}}}.bytes();
  for (const size_t at : {size_t{0x234}, log.size() - 20}) {
    std::string damaged_log = log;
    put(damaged_log, at, 0xffffffff, 4);
    Trace trace;
    EXPECT_FALSE(import_leniently(damaged_log, trace)) << at;
  }
  for (const size_t at : {size_t{0x248}, size_t{0x250}})
    for (const uint64_t place : {UINT64_MAX, UINT64_MAX - 3, uint64_t{1} << 40}) {
      std::string damaged_log = log;
      put(damaged_log, at, place, 8);
      Trace trace;
      EXPECT_FALSE(import_leniently(damaged_log, trace)) << at;
    }
}

TEST(ProcmonPml, a_path_longer_than_its_event_is_no_event) {
  std::string log = Pml{.reads = {{.length = 1, .stack_depth = 0}}}.bytes();
  put(log, 0x3a8 + 0x34 + 4 + 5 * 8 + 0x14, 0xffff, 2);
  EXPECT_THAT(pml_reads(log), IsEmpty());
}

TEST(ProcmonPml, a_log_cut_anywhere_is_an_error) {
  const std::string log = Pml{.reads = {{.length = 1}, {.length = 2}}}.bytes();
  for (size_t size = 4; size < log.size() - 4; ++size) {
    Trace trace;
    EXPECT_FALSE(import_leniently(log.substr(0, size), trace)) << size;
  }
}

TEST(ProcmonPml, a_log_without_events_is_read) {
  EXPECT_THAT(pml_reads(Pml{}.bytes()), IsEmpty());
}

TEST(ProcmonPml, any_byte_may_be_wrong) {
  std::mt19937 random(7);
  const std::string log =
      Pml{.reads = {{.length = 1, .extra = length_behind(8, 1)}, {.length = 2}}}.bytes();
  for (int round = 0; round < 4000; ++round) {
    std::string damaged_log = log;
    for (int change = 0; change < 3; ++change)
      damaged_log[random() % log.size()] = static_cast<char>(random() % 256);
    Trace trace;
    MemoryStream stream("log", damaged_log);
    (void)import_trace(stream, {.format = "procmon-pml", .lenient = true}, trace);
    EXPECT_LE(trace.events.size(), 2U);
  }
}

}  // namespace
}  // namespace seekless

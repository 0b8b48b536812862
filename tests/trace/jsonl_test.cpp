#include "packer/trace/jsonl.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/internal/lines.h"
#include "packer/trace/lz4_frame.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

constexpr const char* kTraceHeader = "{\"seekless\":\"trace\",\"version\":1,\"scenario\":\"s\"}\n";

Result<ImportReport> import_jsonl(const std::string& text, Trace& trace, bool lenient = false) {
  MemoryStream stream("t.jsonl", text);
  return import_trace(stream, {.format = "seekless", .lenient = lenient}, trace);
}

std::string encode(const Trace& trace) {
  TraceEncoder encoder;
  EXPECT_TRUE(encoder.begin(trace.header));
  for (const std::string& path : trace.paths) EXPECT_TRUE(encoder.add_path(path));
  for (const Event& event : trace.events) EXPECT_TRUE(encoder.add_event(event));
  for (const Mark& mark : trace.marks) EXPECT_TRUE(encoder.add_mark(mark));
  encoder.finish();
  return encoder.text();
}

Trace decode(const std::string& text) {
  Trace trace;
  const auto report = import_jsonl(text, trace);
  EXPECT_TRUE(report) << (report ? "" : report.error().message) << '\n' << text;
  return trace;
}

Event read_event(int64_t start_us, uint64_t offset, uint64_t length, int64_t took_us = 10) {
  Event event;
  event.start_ns = start_us * 1000;
  event.duration_ns = took_us * 1000;
  event.offset_bytes = offset;
  event.length_bytes = length;
  return event;
}

std::string error_of(const std::string& text) {
  Trace trace;
  const auto report = import_jsonl(text, trace);
  return report ? "(none)" : report.error().message;
}

TEST(TraceForm, single_events_come_back_exactly) {
  Trace trace;
  trace.header = {"map/a", "machine", "game --x", "strace", 1'795'226'612'464'656'000};
  trace.paths = {"/g/a.pak", "/g/b.pak"};
  Event event = read_event(100, 65536, 16384, 1000);
  event.process = 7;
  event.thread = 8;
  trace.events.push_back(event);
  event = read_event(50, 0, 8192, 0);  // begins before the one in front of it
  event.kind = EventKind::map;
  event.path = 1;
  trace.events.push_back(event);
  event.duration_ns = kUnknownDuration;
  event.length_bytes = kWholeFile;
  event.kind = EventKind::read;
  trace.events.push_back(event);
  event = read_event(9000, 0, 0);
  event.kind = EventKind::open;
  event.os_error = 2;
  trace.events.push_back(event);
  event.os_error = 0;
  trace.events.push_back(event);
  trace.marks = {{10'000'000, "map/b", true}, {11'000'000, "map/b", false}};

  const Trace back = decode(encode(trace));
  EXPECT_EQ(back.header, trace.header);
  EXPECT_EQ(back.events, trace.events);
  EXPECT_EQ(back.marks, trace.marks);
  EXPECT_EQ(back.paths, trace.paths);
}

TEST(TraceForm, reads_that_run_on_are_one_line) {
  Trace trace;
  trace.paths = {"/g/a.pak"};
  trace.events = {read_event(0, 100, 4), read_event(20, 104, 2), read_event(60, 106, 10)};
  const std::string text = encode(trace);
  EXPECT_THAT(text, HasSubstr("{\"at\":100,\"read\":[4,2,10],\"span\":70,\"took\":30}\n"));

  const Trace back = decode(text);
  ASSERT_EQ(back.events.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.events[i].offset_bytes, trace.events[i].offset_bytes);
    EXPECT_EQ(back.events[i].length_bytes, trace.events[i].length_bytes);
    EXPECT_EQ(back.events[i].duration_ns, 10'000);
    EXPECT_LE(std::abs(back.events[i].start_ns - trace.events[i].start_ns), 70'000);
  }
}

TEST(TraceForm, a_pause_a_jump_a_slow_read_and_another_thread_end_a_burst) {
  const Event first = read_event(0, 0, 4);
  Event paused = read_event(10 + kBurstPauseUs, 4, 4);
  Event jumped = read_event(20, 8, 4);
  Event slow = read_event(20, 4, 4, kBurstPauseUs);
  Event elsewhere = read_event(20, 4, 4);
  elsewhere.thread = 1;
  for (const Event& second : {paused, jumped, slow, elsewhere}) {
    Trace trace;
    trace.paths = {"/a"};
    trace.events = {first, second};
    const std::string text = encode(trace);
    EXPECT_EQ(text.find('['), std::string::npos) << text;
    EXPECT_EQ(decode(text).events, trace.events);
  }
}

TEST(TraceForm, bursts_are_cut_so_that_lines_stay_short) {
  Trace trace;
  trace.paths = {"/a"};
  for (uint64_t i = 0; i < 5 * kBurstReads; ++i)
    trace.events.push_back(read_event(static_cast<int64_t>(i) * 10, i * 3, 3));
  const std::string text = encode(trace);
  EXPECT_EQ(std::ranges::count(text, '['), 5);
  EXPECT_EQ(decode(text).events, trace.events);
}

TEST(TraceForm, what_the_line_before_tells_is_left_out) {
  const Trace trace = decode(std::string(kTraceHeader) +
                             "{\"path\":\"/a\"}\n{\"open\":true,\"process\":1,\"thread\":2}\n"
                             "{\"read\":10,\"took\":5}\n{\"read\":20}\n{\"gap\":-3,\"map\":5}\n"
                             "{\"path\":\"/b\"}\n{\"read\":1}\n{\"file\":0,\"read\":1}\n"
                             "{\"open\":true}\n{\"read\":3}\n");
  ASSERT_EQ(trace.events.size(), 8U);
  EXPECT_EQ(trace.events[2].offset_bytes, 10U);
  EXPECT_EQ(trace.events[2].start_ns, 5000);
  EXPECT_EQ(trace.events[2].thread, 2U);
  EXPECT_EQ(trace.events[2].process, 1U);
  EXPECT_EQ(trace.events[3].offset_bytes, 30U);
  EXPECT_EQ(trace.events[3].start_ns, 2000);
  EXPECT_EQ(trace.events[4].path, 1U);
  EXPECT_EQ(trace.events[4].offset_bytes, 0U);
  EXPECT_EQ(trace.events[5].path, 0U);
  EXPECT_EQ(trace.events[5].offset_bytes, 35U);
  EXPECT_EQ(trace.events[7].offset_bytes, 0U) << "an open begins at 0 again";
}

TEST(TraceForm, names_of_any_bytes_survive) {
  using namespace std::string_literals;
  Trace trace;
  trace.header.scenario = "\xff";
  trace.paths = {"/a\x1b[31m\n\"\\",
                 "/nul\0x"s,
                 "/latin1\xe9\xc3",
                 "/utf8\xc3\xa9\xf0\x9f\x8e\xae",
                 "/surrogate\xed\xa0\x80",
                 "/overlong\xc0\xaf",
                 "",
                 "/\x7f\xc2"};
  for (uint32_t i = 0; i < trace.paths.size(); ++i) {
    trace.events.push_back(read_event(i * 1000, 0, 1));
    trace.events.back().path = i;
  }
  trace.marks = {{trace.events.back().start_ns, "\x80mark", true}};
  const std::string text = encode(trace);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  const Trace back = decode(text);
  EXPECT_EQ(back.paths, trace.paths);
  EXPECT_EQ(back.marks, trace.marks);
  EXPECT_EQ(back.header.scenario, trace.header.scenario);
}

TEST(TraceForm, same_trace_gives_same_bytes) {
  Trace trace;
  trace.paths = {"/a"};
  trace.events = {read_event(0, 0, 4), read_event(20, 4, 2), read_event(131, 6, 2, 7),
                  read_event(900, 0, 1)};
  EXPECT_EQ(encode(trace), encode(trace));
  EXPECT_EQ(encode(decode(encode(trace))), encode(trace));
}

TEST(TraceForm, bad_version_is_refused_with_both_named) {
  EXPECT_THAT(error_of("{\"seekless\":\"trace\",\"version\":2}\n"),
              testing::AllOf(HasSubstr("version 1"), HasSubstr("version 2"), HasSubstr("newer")));
  EXPECT_THAT(error_of("{\"seekless\":\"trace\"}\n"), HasSubstr("version 0"));
  EXPECT_THAT(error_of("{\"seekless\":\"layout\",\"version\":1}\n"), HasSubstr("'layout'"));
  EXPECT_THAT(error_of("{\"path\":\"/a\"}\n"), HasSubstr("header"));
  EXPECT_THAT(error_of(""), HasSubstr("header"));
}

TEST(TraceForm, header_alone_is_an_empty_trace) {
  const Trace trace = decode(kTraceHeader);
  EXPECT_EQ(trace.header.scenario, "s");
  EXPECT_TRUE(trace.events.empty());
}

TEST(TraceForm, damaged_lines_are_errors_with_their_place) {
  const std::string start = std::string(kTraceHeader) + "{\"path\":\"/a\"}\n";
  const std::pair<const char*, const char*> cases[] = {
      {"nonsense\n", "no JSON"},
      {"[1]\n", "a list"},
      {"7\n", "no object"},
      {"{}\n", "none of the keys"},
      {"{\"read\":-1}\n", "wrong length"},
      {"{\"read\":1.5}\n", "fraction"},
      {"{\"read\":\"1\"}\n", "a string as 'read'"},
      {"{\"read\":[]}\n", "empty list"},
      {"{\"read\":[1,[2]]}\n", "a list as 'read'"},
      {"{\"map\":[1]}\n", "a list as 'map'"},
      {"{\"read\":1,\"read\":2}\n", "twice"},
      {"{\"read\":1,\"map\":2}\n", "more than one"},
      {"{\"read\":1,\"file\":1}\n", "file 1 of 1"},
      {"{\"read\":1,\"file\":-1}\n", "-1 as 'file'"},
      {"{\"read\":1,\"thread\":4294967296}\n", "'thread'"},
      {"{\"read\":1,\"at\":9007199254740992}\n", "2^53"},
      {"{\"read\":1,\"at\":18446744073709551615}\n", "too large"},
      {"{\"read\":1,\"gap\":9223372036854775807}\n", "'gap'"},
      {"{\"read\":1,\"gap\":2251799813685249}\n", "too far"},
      {"{\"open\":false}\n", "success and failure"},
      {"{\"open\":true,\"errno\":2}\n", "success and failure"},
      {"{\"path\":\"\xff\"}\n", "no JSON"},
      {"{\"path\":\"\\u0100\",\"raw\":true}\n", "beyond U+00FF"},
      {"{\"seekless\":\"trace\",\"version\":1}\n", "second header"},
  };
  for (const auto& [line, problem] : cases) {
    const std::string error = error_of(start + line + "{\"read\":1}\n");
    EXPECT_THAT(error, HasSubstr(problem)) << line;
    EXPECT_THAT(error, HasSubstr("t.jsonl: line 3")) << line;
  }
}

TEST(TraceForm, lenient_passes_over_damaged_lines_and_counts_them) {
  Trace trace;
  const auto report =
      import_jsonl(std::string(kTraceHeader) +
                       "{\"path\":\"/a\"}\nnonsense\n{\"read\":1,\"thread\":9,\"at\":-1}\n"
                       "{\"read\":5}\n",
                   trace, true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unparsed_lines, 2U);
  ASSERT_EQ(report->first_unparsed.size(), 2U);
  EXPECT_EQ(report->first_unparsed[0].number, 3U);
  EXPECT_EQ(report->first_unparsed[0].text, "nonsense");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].thread, 0U) << "a line that is passed over leaves nothing behind";
}

TEST(TraceForm, an_error_number_counts_with_an_open_only) {
  const Trace trace =
      decode(R"({"seekless":"trace","version":1})"
             "\n{\"path\":\"/g/a\"}\n{\"read\":5,\"errno\":2}\n{\"open\":false,\"errno\":2}\n");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.events[0].os_error, 0);
  EXPECT_EQ(trace.events[1].os_error, 2);
}

TEST(TraceForm, unknown_keys_are_passed_over_whatever_they_hold) {
  const Trace trace = decode(std::string(kTraceHeader) +
                             "{\"x\":{\"path\":[1,{\"read\":2}]},\"path\":\"/a\",\"y\":null}\n"
                             "{\"read\":1,\"z\":[1.5,\"read\",true]}\n");
  EXPECT_EQ(trace.paths, std::vector<std::string>{"/a"});
  EXPECT_EQ(trace.events.size(), 1U);
}

TEST(TraceForm, every_truncation_gives_a_prefix_or_an_error) {
  Trace whole;
  whole.paths = {"/a\xff", "/b"};
  for (int64_t i = 0; i < 6; ++i) {
    whole.events.push_back(read_event(i * 300, static_cast<uint64_t>(i * 7), 4));
    whole.events.back().path = static_cast<uint32_t>(i % 2);
  }
  const std::string text = encode(whole);
  const size_t header_bytes = text.find('\n');
  for (size_t size = 0; size < text.size(); ++size) {
    Trace trace;
    const auto report = import_jsonl(text.substr(0, size), trace);
    ASSERT_EQ(report.has_value(), size >= header_bytes) << size;
    if (!report) continue;
    EXPECT_TRUE(std::equal(trace.events.begin(), trace.events.end(), whole.events.begin()));
    const char last = text[size - 1];
    EXPECT_EQ(report->warnings.empty(), last == '\n' || last == '}') << size;
  }
}

TEST(TraceForm, lines_have_a_limit) {
  const std::string line = "{\"path\":\"" + std::string(LineReader::kLimitBytes, 'a') + "\"}\n";
  EXPECT_THAT(error_of(kTraceHeader + line), HasSubstr("longer than 1 MiB"));
}

TEST(TraceForm, encoder_refuses_what_the_form_cannot_hold) {
  TraceEncoder encoder;
  EXPECT_FALSE(encoder.add_event({}));
  ASSERT_TRUE(encoder.add_path("/a"));
  Event event = read_event(0, kPlaceLimitBytes, 1);
  EXPECT_FALSE(encoder.add_event(event));
  event = read_event(kTimeLimitNs / 1000 + 1, 0, 1);
  EXPECT_FALSE(encoder.add_event(event));
}

class TraceFile : public testing::Test {
 protected:
  std::string file(const char* name) const { return folder_.path(name); }
  static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& path, uint64_t reads) {
    auto writer = TraceWriter::create(path);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->begin({.scenario = "s"}));
    ASSERT_TRUE(writer->add_path("/a"));
    for (uint64_t i = 0; i < reads; ++i)
      ASSERT_TRUE(
          writer->add_event(read_event(static_cast<int64_t>(i) * 1000, i * 1013 % 77773, 4)));
    ASSERT_TRUE(writer->finish());
  }

  TestFolder folder_;
};

TEST_F(TraceFile, plain_and_framed_hold_the_same) {
  write(file("a.jsonl"), 30000);
  write(file("a.jsonl.lz4"), 30000);
  const std::string plain = bytes_of(file("a.jsonl"));
  EXPECT_GT(plain.size(), 512U * 1024);
  EXPECT_LT(bytes_of(file("a.jsonl.lz4")).size(), plain.size());
  Trace from_plain;
  Trace from_frame;
  ASSERT_TRUE(read_trace(file("a.jsonl"), {}, from_plain));
  ASSERT_TRUE(read_trace(file("a.jsonl.lz4"), {}, from_frame));
  EXPECT_EQ(from_plain.events.size(), 30000U);
  EXPECT_EQ(from_plain.events, from_frame.events);
  EXPECT_EQ(from_plain.header, from_frame.header);
}

TEST_F(TraceFile, frames_are_the_same_bytes_each_time) {
  write(file("a.lz4"), 5000);
  write(file("b.lz4"), 5000);
  EXPECT_EQ(bytes_of(file("a.lz4")), bytes_of(file("b.lz4")));
}

TEST_F(TraceFile, frames_may_follow_one_another) {
  write(file("a.lz4"), 10);
  const std::string one = bytes_of(file("a.lz4"));
  MemoryStream stream("two.lz4", one + one);
  Trace trace;
  const auto report = import_trace(stream, {.lenient = true}, trace);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unparsed_lines, 1U) << "the second header";
  EXPECT_EQ(trace.events.size(), 20U);
}

TEST_F(TraceFile, frame_cut_at_any_byte_gives_what_was_whole_and_a_warning) {
  write(file("a.lz4"), 20);
  const std::string whole = bytes_of(file("a.lz4"));
  for (size_t size = 0; size < whole.size(); ++size) {
    MemoryStream stream("cut.lz4", whole.substr(0, size));
    Trace trace;
    const auto report = import_trace(stream, {}, trace);
    if (!report) {
      EXPECT_EQ(report.error().kind, ErrorKind::damaged);
      EXPECT_TRUE(trace.events.empty()) << size;
      continue;
    }
    ASSERT_FALSE(report->warnings.empty()) << size;
    EXPECT_THAT(report->warnings.front(), HasSubstr("ends within an LZ4 frame"));
  }
}

TEST(PackedFrame, gives_all_that_was_flushed_when_it_is_cut_behind) {
  auto frame = Lz4Frame::create();
  ASSERT_TRUE(frame);
  std::string packed;
  ASSERT_TRUE(frame->begin(packed));
  ASSERT_TRUE(frame->add(R"({"seekless":"trace","version":1})"
                         "\n"
                         R"({"path":"/a"})"
                         "\n",
                         packed));
  ASSERT_TRUE(frame->add(R"({"read":5})"
                         "\n",
                         packed));
  ASSERT_TRUE(frame->flush(packed));
  const size_t flushed = packed.size();
  ASSERT_TRUE(frame->add(R"({"read":6})"
                         "\n",
                         packed));
  ASSERT_TRUE(frame->flush(packed));
  for (size_t size = flushed; size < packed.size(); ++size) {
    MemoryStream stream("cut.lz4", packed.substr(0, size));
    Trace trace;
    ASSERT_TRUE(import_trace(stream, {}, trace));
    ASSERT_GE(trace.events.size(), 1U) << size;
    EXPECT_EQ(trace.events.front().length_bytes, 5U);
  }
}

TEST_F(TraceFile, flipped_bits_in_a_frame_never_crash) {
  write(file("a.lz4"), 20);
  const std::string whole = bytes_of(file("a.lz4"));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    MemoryStream stream("flipped.lz4", flipped);
    Trace trace;
    (void)import_trace(stream, {}, trace);
    EXPECT_LE(trace.events.size(), 20U);
  }
}

TEST_F(TraceFile, nothing_is_left_without_finish) {
  {
    auto writer = TraceWriter::create(file("a.jsonl"));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->begin({}));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace seekless

// Measures how fast traces are read: strace's text, and our own form with and without bursts.
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "packer/trace/dialect.h"
#include "packer/trace/jsonl.h"

namespace {

using seekless::Event;

// Only counts, so that the reader is measured.
struct CountingSink final : seekless::TraceSink {
  seekless::Result<void> begin(const seekless::TraceHeader&) override { return {}; }
  seekless::Result<void> add_path(std::string_view) override { return {}; }
  seekless::Result<void> add_event(const Event&) override {
    ++events;
    return {};
  }
  seekless::Result<void> add_mark(const seekless::Mark&) override { return {}; }

  int64_t events = 0;
};

// Makes a load as PhysFS does: runs of reads of a few bytes, with a seek before each run. With
// `is_named` it is like that of `strace -y`.
std::string strace_text(int reads, bool is_named) {
  const std::string file = is_named ? "9</usr/share/games/warzone2100/base.wz>" : "9";
  std::string text =
      "8446  1795254226.000000 openat(AT_FDCWD</tmp>, \"/usr/share/games/warzone2100/base.wz\", "
      "O_RDONLY) = " +
      file + " <0.000019>\n";
  for (int i = 0; i < reads; ++i) {
    const double time = 1795254226.0 + i * 0.000071;
    if (i % 8 == 0)
      text += fmt::format("8446  {:.6f} lseek({}, {}, SEEK_SET) = {} <0.000012>\n", time, file,
                          i * 4099LL, i * 4099LL);
    text +=
        fmt::format("8446  {:.6f} read({}, \"\\1\\2\\0PK\\3\\4\", 4) = 4 <0.000012>\n", time, file);
  }
  return text;
}

std::string own_text(int reads, int run) {
  seekless::TraceEncoder encoder;
  (void)encoder.begin({.scenario = "bench"});
  (void)encoder.add_path("/usr/share/games/warzone2100/base.wz");
  Event event;
  for (int i = 0; i < reads; ++i) {
    event.start_ns = i * int64_t{71'000};
    event.duration_ns = 12'000;
    event.offset_bytes =
        i % run == 0 ? static_cast<uint64_t>(i) * 4099 : event.offset_bytes + event.length_bytes;
    event.length_bytes = 4;
    (void)encoder.add_event(event);
  }
  encoder.finish();
  return encoder.text();
}

void read_all(benchmark::State& state, const std::string& text) {
  int64_t events = 0;
  for (auto _ : state) {
    seekless::MemoryStream stream("bench", text);
    CountingSink sink;
    if (!seekless::import_trace(stream, {}, sink)) state.SkipWithError("can't be read");
    events += sink.events;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
  state.SetItemsProcessed(events);
}

void read_strace_named(benchmark::State& state) {
  read_all(state, strace_text(200'000, true));
}
BENCHMARK(read_strace_named)->Unit(benchmark::kMillisecond);

void read_strace_bare(benchmark::State& state) {
  read_all(state, strace_text(200'000, false));
}
BENCHMARK(read_strace_bare)->Unit(benchmark::kMillisecond);

void read_own_form(benchmark::State& state) {
  read_all(state, own_text(200'000, static_cast<int>(state.range(0))));
}
BENCHMARK(read_own_form)->ArgName("reads_a_burst")->Arg(1)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace

// Reads any bytes as a trace in our own form, plain or framed. It must not crash, and the events
// must survive being written and read again.
#include <cstdlib>
#include <string>

#include "packer/trace/dialect.h"
#include "packer/trace/jsonl.h"

namespace {

using seekless::Event;
using seekless::Trace;

Trace again(const Trace& trace) {
  seekless::TraceEncoder encoder;
  if (!encoder.begin(trace.header)) std::abort();
  for (const std::string& path : trace.paths)
    if (!encoder.add_path(path)) std::abort();
  for (const Event& event : trace.events)
    if (!encoder.add_event(event)) std::abort();
  for (const seekless::Mark& mark : trace.marks)
    if (!encoder.add_mark(mark)) std::abort();
  encoder.finish();
  seekless::MemoryStream stream("again", encoder.text());
  Trace back;
  if (!seekless::import_trace(stream, {.format = "seekless"}, back)) std::abort();
  return back;
}

// The times of reads in a burst are spread anew; everything else must be unchanged.
bool is_same(Event a, Event b) {
  a.start_ns = b.start_ns = 0;
  const bool both_known = (a.duration_ns < 0) == (b.duration_ns < 0);
  a.duration_ns = b.duration_ns = 0;
  return a == b && both_known;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const bool is_lenient : {false, true}) {
    seekless::MemoryStream stream("fuzz", bytes);
    Trace trace;
    if (!seekless::import_trace(stream, {.format = "seekless", .lenient = is_lenient}, trace))
      continue;
    const Trace back = again(trace);
    if (back.header != trace.header || back.marks != trace.marks ||
        back.events.size() != trace.events.size())
      std::abort();
    for (size_t i = 0; i < trace.events.size(); ++i)
      if (!is_same(back.events[i], trace.events[i])) std::abort();
  }
  return 0;
}

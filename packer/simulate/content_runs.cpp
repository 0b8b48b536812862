#include "packer/simulate/content_runs.h"

#include <algorithm>
#include <utility>

namespace seekless {
namespace {

constexpr uint32_t kNotContent = UINT32_MAX;
constexpr uint32_t kMostThreads = (uint32_t{1} << 30) - 1;  // more threads than any system has

}  // namespace

void ContentRuns::start_trace(std::string scenario) {
  cutter_.start_trace(traces_++, std::move(scenario));
  files_.clear();
  is_slowed_ = true;
}

Result<void> ContentRuns::begin(const TraceHeader& header) {
  cutter_.begin(header);
  is_slowed_ = slows_the_recorded(header.dialect);
  fit_.begin_trace(header.began_unix_ns);
  return {};
}

Result<void> ContentRuns::add_path(std::string_view path) {
  files_.push_back(locator_.find_file(path).value_or(kNotContent));
  return {};
}

Result<void> ContentRuns::add_event(const Event& event) {
  const uint32_t file = files_[event.path];
  if (file == kNotContent) return {};
  times_.add(event);
  fit_.add(file, event);
  if (event.kind != EventKind::open && event.length_bytes != kWholeFile) run_.knows_sizes = true;
  Event& kept = run_.events.emplace_back(event);
  kept.path = file;
  const uint64_t size = content_.sources[file].size_bytes;
  const bool fits = event.offset_bytes <= size && event.length_bytes <= size - event.offset_bytes;
  if (fits) return {};
  // If only names were recorded, the whole file counts. A mapping may extend to the end of its last
  // page.
  kept.offset_bytes = std::min(event.offset_bytes, size);
  kept.length_bytes = std::min(event.length_bytes, size - kept.offset_bytes);
  return {};
}

Result<void> ContentRuns::add_mark(const Mark& mark) {
  finish_run();
  cutter_.cut(mark);
  return {};
}

void ContentRuns::finish_run() {
  if (!run_.events.empty()) {
    std::ranges::stable_sort(run_.events, {}, &Event::start_ns);
    run_.id = cutter_.id();
    run_.scenario = cutter_.scenario();
    run_.besides_seconds = times_.besides_seconds();
    run_.is_slowed = is_slowed_;
    ++run_count_;
    take(run_);
  }
  run_.events.clear();  // the capacity is kept, because the next run is likely to be as long
  run_.knows_sizes = false;
  times_ = {};
}

void KeptRuns::take(ContentRun& run) {
  KeptRun& kept = runs_.emplace_back();
  kept.events.reserve(run.events.size());
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> threads;
  for (const Event& event : run.events) {
    const auto thread = static_cast<uint32_t>(threads.size());
    const uint32_t number =
        threads.try_emplace({event.process, event.thread}, thread).first->second;
    kept.events.push_back({event.offset_bytes, event.length_bytes, event.path,
                           number & kMostThreads, static_cast<uint8_t>(event.kind)});
  }
  run.events.clear();
  kept.run = run;
}

ContentRun KeptRuns::run(size_t number) const {
  const KeptRun& kept = runs_[number];
  ContentRun run = kept.run;
  run.events.reserve(kept.events.size());
  for (const KeptEvent& event : kept.events)
    run.events.push_back({.offset_bytes = event.offset_bytes,
                          .length_bytes = event.length_bytes,
                          .path = event.path,
                          .thread = event.thread,
                          .kind = static_cast<EventKind>(event.kind)});
  return run;
}

}  // namespace seekless

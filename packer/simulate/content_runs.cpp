#include "packer/simulate/content_runs.h"

#include <algorithm>
#include <utility>

namespace seekless {
namespace {

constexpr uint32_t kNotContent = UINT32_MAX;

}  // namespace

void ContentRuns::start_trace(std::string scenario) {
  cutter_.start_trace(traces_++, std::move(scenario));
  files_.clear();
  is_slowed_ = true;
}

Result<void> ContentRuns::begin(const TraceHeader& header) {
  cutter_.begin(header);
  is_slowed_ = slows_the_recorded(header.dialect);
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
  if (event.kind != EventKind::open && event.length_bytes != kWholeFile) run_.knows_sizes = true;
  Event& kept = run_.events.emplace_back(event);
  kept.path = file;
  const uint64_t size = content_.sources[file].size_bytes;
  const bool fits = event.offset_bytes <= size && event.length_bytes <= size - event.offset_bytes;
  if (fits) return {};
  // Where only names were recorded, the whole file is meant; mappings end with their last page.
  if (event.kind == EventKind::read && event.length_bytes != kWholeFile) ++reads_past_end_[file];
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
  run_.events.clear();  // their room is kept: the next run is likely to be as long
  run_.knows_sizes = false;
  times_ = {};
}

}  // namespace seekless

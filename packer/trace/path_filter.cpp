#include "packer/trace/path_filter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"

namespace seekless {

Result<void> PathFilter::begin(const TraceHeader& header) {
  TraceHeader renamed = header;
  if (!options_.scenario.empty()) renamed.scenario = options_.scenario;
  if (renamed.scenario.empty()) renamed.scenario = options_.default_scenario;
  report_.scenario = renamed.scenario;
  for (const TimeMark& mark : options_.marks) {
    if (mark.is_unix && header.began_unix_ns == 0)
      return wrong_usage({.place = "--mark",
                          .expected = "seconds since the trace began",
                          .found = "a date, and a trace that doesn't say when it began"});
    const int64_t time_ns = mark.time_ns - (mark.is_unix ? header.began_unix_ns : 0);
    // A mark before the trace's beginning moves to the beginning.
    marks_.push_back({std::clamp<int64_t>(time_ns, 0, kTimeLimitNs),
                      mark.scenario.empty() ? renamed.scenario : mark.scenario, true});
  }
  std::ranges::stable_sort(marks_, {}, &Mark::time_ns);
  return sink_.begin(renamed);
}

Result<void> PathFilter::add_path(std::string_view path) {
  std::string mapped = map_path(options_.path_maps, path);
  if (!options_.splits.empty() && matches_any_glob(options_.splits, mapped))
    splits_.emplace(static_cast<uint32_t>(entries_.size()), scenario_of_path(mapped));
  const bool is_kept = options_.only.empty() || matches_any_glob(options_.only, mapped);
  entries_.push_back(is_kept ? FilteredPath{std::move(mapped), kWaiting}
                             : FilteredPath{{}, kLeftOut});
  return {};
}

Result<void> PathFilter::set_marks(const Event& event) {
  for (; marks_set_ < marks_.size() && marks_[marks_set_].time_ns <= event.start_ns; ++marks_set_)
    SKL_TRY_DO(sink_.add_mark(marks_[marks_set_]));
  // A failed open doesn't count as an access.
  if (splits_.empty() || event.os_error != 0) return {};
  const auto split = splits_.extract(event.path);
  if (split.empty()) return {};
  ++report_.splits;
  return sink_.add_mark({event.start_ns, split.mapped(), true});
}

void PathFilter::finish(const std::string& file) {
  if (marks_set_ < marks_.size())
    report_.warnings.push_back(fmt::format(
        "{}: the trace ends before {} of the marks; the first of them is '{}' at {:.3f} s", file,
        marks_.size() - marks_set_, marks_[marks_set_].scenario,
        static_cast<double>(marks_[marks_set_].time_ns) / 1e9));
}

Result<void> PathFilter::hand_on(FilteredPath& entry) {
  if (!options_.path_maps.empty()) {
    const auto [known, is_new] = numbers_.emplace(entry.path, handed_on_);
    if (!is_new) {
      entry = {{}, known->second};
      return {};
    }
  }
  SKL_TRY_DO(sink_.add_path(entry.path));
  entry = {{}, handed_on_++};
  ++report_.paths;
  return {};
}

Result<void> PathFilter::add_event(const Event& event) {
  SKL_TRY_DO(set_marks(event));
  FilteredPath& entry = entries_[event.path];
  if (entry.number == kLeftOut) {
    if (event.kind != EventKind::open) ++report_.left_out_reads;
    return {};
  }
  if (entry.number == kWaiting) {
    SKL_TRY_DO(hand_on(entry));
  }
  count(event);
  Event renamed = event;
  renamed.path = entry.number;
  return sink_.add_event(renamed);
}

void PathFilter::count(const Event& event) {
  const int64_t end_ns = event.start_ns + std::max<int64_t>(event.duration_ns, 0);
  first_start_ns_ =
      report_.events == 0 ? event.start_ns : std::min(first_start_ns_, event.start_ns);
  last_end_ns_ = report_.events == 0 ? end_ns : std::max(last_end_ns_, end_ns);
  report_.span_ns = last_end_ns_ - first_start_ns_;
  ++report_.events;
  switch (event.kind) {
    case EventKind::open:
      ++report_.opens;
      if (event.os_error != 0) ++report_.failed_opens;
      break;
    case EventKind::read:
      ++report_.reads;
      if (event.length_bytes != kWholeFile)
        report_.read_bytes += std::min(event.length_bytes, UINT64_MAX - report_.read_bytes);
      break;
    case EventKind::map:
      ++report_.maps;
      break;
  }
}

}  // namespace seekless

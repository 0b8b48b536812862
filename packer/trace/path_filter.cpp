#include "packer/trace/path_filter.h"

#include <algorithm>
#include <utility>

#include "packer/path/glob.h"

namespace seekless {

Result<void> PathFilter::begin(const TraceHeader& header) {
  TraceHeader renamed = header;
  if (!options_.scenario.empty()) renamed.scenario = options_.scenario;
  if (renamed.scenario.empty()) renamed.scenario = options_.default_scenario;
  report_.scenario = renamed.scenario;
  return sink_.begin(renamed);
}

Result<void> PathFilter::add_path(std::string_view path) {
  std::string mapped = map_path(options_.path_maps, path);
  const bool is_kept = options_.only.empty() || matches_any_glob(options_.only, mapped);
  entries_.push_back(is_kept ? Entry{std::move(mapped), kWaiting} : Entry{{}, kLeftOut});
  return {};
}

Result<void> PathFilter::hand_on(Entry& entry) {
  if (!options_.path_maps.empty()) {
    const auto [known, is_new] = numbers_.emplace(entry.path, handed_on_);
    if (!is_new) {
      entry = {{}, known->second};
      return {};
    }
  }
  if (auto added = sink_.add_path(entry.path); !added) return added;
  entry = {{}, handed_on_++};
  ++report_.paths;
  return {};
}

Result<void> PathFilter::add_event(const Event& event) {
  Entry& entry = entries_[event.path];
  if (entry.number == kLeftOut) {
    if (event.kind != EventKind::open) ++report_.left_out_reads;
    return {};
  }
  if (entry.number == kWaiting) {
    if (auto handed = hand_on(entry); !handed) return handed;
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

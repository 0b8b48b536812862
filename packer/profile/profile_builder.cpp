#include "packer/profile/profile_builder.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "packer/base/none.h"
#include "packer/profile/scenario_name.h"

namespace seekless {

ProfileBuilder::ProfileBuilder(const Content& content)
    : content_(content),
      locator_(content),
      searches_(content),
      profile_index_(content.assets.size(), kNone) {}

void ProfileBuilder::start_trace(std::string trace, std::string scenario) {
  trace_ = std::move(trace);
  cutter_.start_trace(traces_++, std::move(scenario));
  searches_.forget();
  paths_.clear();
  mapping_ = {};
}

Result<void> ProfileBuilder::begin(const TraceHeader& header) {
  cutter_.begin(header);
  return {};
}

Result<void> ProfileBuilder::add_path(std::string_view path) {
  AssetPath added{std::string(path), locator_.find_file(path), std::nullopt};
  if (!added.file) added.asset = locator_.find_asset(path);
  paths_.push_back(std::move(added));
  return {};
}

Result<void> ProfileBuilder::add_event(const Event& event) {
  AssetPath& path = paths_[event.path];
  if (event.kind == EventKind::open && path.file) searches_.open(*path.file);
  if (event.kind == EventKind::open || event.length_bytes == 0) return {};
  if (path.file || path.asset) times_.add(event);
  if (path.asset) {
    pages_.add_other();
    touch_asset(path, event);
  } else if (path.file) {
    searches_.add(*path.file, {event.offset_bytes, event.length_bytes}, event,
                  [this](const Event& known, bool is_search) { take(known, is_search); });
  } else {
    const uint64_t length = event.length_bytes == kWholeFile ? 0 : event.length_bytes;
    mapping_.read_bytes += length;
    path.unmapped_bytes += length;
    ++path.unmapped_reads;
  }
  return {};
}

// Holds back a search until the run's end. Only then is it known what its reads count for.
void ProfileBuilder::take(const Event& event, bool is_search) {
  if (is_search)
    searching_events_.push_back(event);
  else
    touch_file(event, false);
}

void ProfileBuilder::touch_file(const Event& event, bool is_search) {
  AssetPath& path = paths_[event.path];
  const Source& source = content_.sources[*path.file];
  if (!is_search) note_pages(*path.file, event);
  const bool is_whole = event.length_bytes == kWholeFile;
  const uint64_t length = is_whole ? source.size_bytes : event.length_bytes;
  mapping_.read_bytes += length;
  // A name alone doesn't show which entry of an archive was read.
  const bool says_nothing = is_whole && source.is_archive();
  uint64_t mapped = 0;
  if (!says_nothing)
    locator_.touched(*path.file, event.offset_bytes, length, [&](const Touch& touch) {
      if (is_search)
        mapping_.directory_bytes += touch.length_bytes;
      else
        count(touch, event);
      mapped += touch.length_bytes;
    });
  if (mapped == length) return;
  // Mappings consist of whole pages, even if the file ends within one.
  if (!says_nothing && (event.kind != EventKind::map || event.offset_bytes >= source.size_bytes))
    path.is_past_end = true;
  path.unmapped_bytes += length - mapped;
  ++path.unmapped_reads;
}

void ProfileBuilder::note_pages(uint32_t file, const Event& event) {
  if (event.kind == EventKind::map || event.length_bytes == kWholeFile)
    pages_.add_other();
  else
    chain_begin_ = pages_.add(file, {event.offset_bytes, event.length_bytes},
                              content_.sources[file].size_bytes);
}

// Counts a read of an asset that the trace names by its own path, in whatever archive it lies. A
// list of files names whole assets; a game that records itself names ranges of unpacked assets.
void ProfileBuilder::touch_asset(AssetPath& path, const Event& event) {
  const Place& place = content_.assets[*path.asset].place;
  if (event.length_bytes == kWholeFile) {
    mapping_.read_bytes += place.stored_bytes;
    count({TouchedPart::data, *path.asset, 0, place.stored_bytes}, event, true);
    return;
  }
  mapping_.read_bytes += event.length_bytes;
  const uint64_t begin = std::min(event.offset_bytes, place.size_bytes);
  const uint64_t touched = std::min(event.length_bytes, place.size_bytes - begin);
  if (touched > 0) count({TouchedPart::data, *path.asset, begin, touched}, event, true);
  if (touched == event.length_bytes) return;
  path.unmapped_bytes += event.length_bytes - touched;
  ++path.unmapped_reads;
}

void ProfileBuilder::count(const Touch& touch, const Event& event, bool is_by_name) {
  switch (touch.part) {
    case TouchedPart::data:
    case TouchedPart::header: {
      mapping_.asset_bytes += touch.length_bytes;
      ++mapping_.asset_reads;
      const Place& place = content_.assets[touch.index].place;
      if (touch.part == TouchedPart::header && place.size_bytes != 0) return;
      FirstRead& read =
          first_reads_.try_emplace(touch.index, FirstRead{event.start_ns, sequence_}).first->second;
      const bool was_meant = read.coverage.is_meant();
      if (is_by_name)
        read.coverage.set_meant();
      else
        read.coverage.add(place, {event.offset_bytes, event.length_bytes},
                          {touch.offset_bytes, touch.length_bytes});
      if (pages_.are_all() && !is_by_name)
        read.is_led_into =
            read.is_led_into ||
            leads_into(place, {event.offset_bytes, event.length_bytes}, chain_begin_);
      // A read that only touches the asset doesn't set its time. Events of long calls may come
      // late.
      if (was_meant != read.coverage.is_meant() || event.start_ns < read.time_ns) {
        read.time_ns = event.start_ns;
        read.sequence = sequence_;
      }
      ++sequence_;
      return;
    }
    case TouchedPart::shadowed:
      mapping_.shadowed_bytes += touch.length_bytes;
      return;
    case TouchedPart::directory:
      mapping_.directory_bytes += touch.length_bytes;
      return;
    case TouchedPart::other:
      mapping_.other_bytes += touch.length_bytes;
      return;
  }
}

Result<void> ProfileBuilder::add_mark(const Mark& mark) {
  finish_run();
  cutter_.cut(mark);
  return {};
}

uint32_t ProfileBuilder::profile_index(uint32_t asset) {
  uint32_t& index = profile_index_[asset];
  if (index == kNone) {
    index = static_cast<uint32_t>(profile_.assets.size());
    profile_.assets.push_back(content_.assets[asset].path);
  }
  return index;
}

void ProfileBuilder::finish_run() {
  searches_.finish([this](const Event& known, bool is_search) { take(known, is_search); });
  const bool is_in_pages = pages_.are_all();
  // Pages that a search brought are never read again from the disk, so they may be needed.
  for (const Event& event : std::exchange(searching_events_, {})) touch_file(event, !is_in_pages);
  pages_ = {};
  if (first_reads_.empty()) return;
  std::vector<std::pair<uint32_t, FirstRead>> reads(first_reads_.begin(), first_reads_.end());
  first_reads_.clear();
  std::erase_if(reads, [&](const auto& read) {
    const auto& [asset, first] = read;
    return is_in_pages ? is_only_read_ahead(first.is_led_into, first.coverage)
                       : !first.coverage.is_meant();
  });
  if (reads.empty()) {
    times_ = {};
    return;
  }
  std::ranges::sort(reads, {}, [](const auto& read) {
    return std::tuple(read.second.time_ns, read.second.sequence);
  });
  if (!mapping_.misnamed_scenario && !fault_of_scenario_name(cutter_.scenario()).empty())
    mapping_.misnamed_scenario = cutter_.scenario();
  ProfiledRun run = {.trace = trace_, .assets = {}, .id = cutter_.id()};
  run.span_us = times_.span_ns() / 1000;
  run.waiting_us = times_.waiting_ns() / 1000;
  times_ = {};
  std::vector<uint32_t> numbers;
  numbers.reserve(reads.size());
  for (const auto& [asset, read] : reads) numbers.push_back(profile_index(asset));
  run.assets = numbers;

  auto scenario =
      std::ranges::find(profile_.scenarios, cutter_.scenario(), &ProfiledScenario::name);
  if (scenario == profile_.scenarios.end())
    scenario = profile_.scenarios.insert(scenario, {cutter_.scenario(), {}});
  scenario->runs.push_back(std::move(run));
}

Mapping ProfileBuilder::finish_trace() {
  finish_run();
  std::unordered_map<std::string_view, size_t> by_name;
  for (const AssetPath& path : paths_) {
    if (path.unmapped_reads == 0) continue;
    const auto [known, is_new] = by_name.emplace(path.name, mapping_.unmapped.size());
    if (is_new) mapping_.unmapped.push_back({.path = path.name, .is_of_content = path.is_past_end});
    mapping_.unmapped[known->second].bytes += path.unmapped_bytes;
    mapping_.unmapped[known->second].reads += path.unmapped_reads;
  }
  std::ranges::sort(mapping_.unmapped, [](const auto& a, const auto& b) {
    return std::tuple(b.bytes, a.path) < std::tuple(a.bytes, b.path);
  });
  return std::move(mapping_);
}

Profile ProfileBuilder::finish() {
  return in_planning_order(std::move(profile_));
}

}  // namespace seekless

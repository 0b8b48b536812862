#include "packer/simulate/recorded_places.h"

#include <algorithm>
#include <iterator>

#include "packer/content/read_coverage.h"

namespace seekless {
namespace {

constexpr uint32_t kNoFile = UINT32_MAX;

// Returns true if nearly all jumps lead to the beginning of an entry, as with programs that read
// entries one by one. If a program reads pages, they do so only by chance: up to a third of them in
// archives aligned to pages.
bool is_mostly_at_begins(const PlaceFit& fit, const PlaceFit& other) {
  return fit.at_begins > 0 && fit.at_begins * 2 >= fit.jumps &&
         fit.at_begins >= other.at_begins * 2;
}

// Returns true if it is clear that `fit` is the state that was read.
bool is_clearly(const PlaceFit& fit, const PlaceFit& other) {
  if (fit.past_ends > 0) return false;
  if (other.past_ends > 0) return true;
  if (fit.at_ends > 0 && other.at_ends == 0) return true;
  return fit.at_ends >= other.at_ends && is_mostly_at_begins(fit, other);
}

}  // namespace

EntryBegins::EntryBegins(const Content& content, const std::vector<bool>* is_counted)
    : content_(content) {
  const auto add = [&](const Place& place) {
    if (place.entry != kWholeSource && (is_counted == nullptr || (*is_counted)[place.source]))
      entries_[place.source].push_back(&place);
  };
  for (const Asset& asset : content.assets) add(asset.place);
  for (const Shadowed& shadowed : content.shadowed) add(shadowed.place);
  for (auto& [source, entries] : entries_)
    std::ranges::sort(entries, {}, &Place::header_offset_bytes);
}

bool EntryBegins::is_begin(uint32_t file, uint64_t offset_bytes) const {
  if (offset_bytes == content_.sources[file].directory_offset_bytes) return true;
  const Place* place = entry_at(file, offset_bytes);
  if (place == nullptr) return false;
  const uint64_t data = data_begin_bytes(*place);
  return offset_bytes == place->header_offset_bytes ||
         (offset_bytes >= data && offset_bytes - data <= kMostShiftBytes);
}

const Place* EntryBegins::entry_at(uint32_t file, uint64_t offset_bytes) const {
  const auto found = entries_.find(file);
  if (found == entries_.end()) return nullptr;
  const std::vector<const Place*>& entries = found->second;
  const auto after =
      std::ranges::upper_bound(entries, offset_bytes, {}, &Place::header_offset_bytes);
  if (after == entries.begin()) return nullptr;
  const Place* place = *std::prev(after);
  const uint64_t end = data_begin_bytes(*place) + place->stored_bytes + kMostShiftBytes;
  return offset_bytes < end ? place : nullptr;
}

PlaceFitter::PlaceFitter(const EntryBegins& begins, const EntryBegins& other,
                         const Locator& locator, const std::vector<bool>& is_counted)
    : begins_(begins), other_(other), locator_(locator), is_counted_(is_counted) {}

Result<void> PlaceFitter::add_path(std::string_view path) {
  const auto file = locator_.find_file(path);
  paths_.push_back({file && is_counted_[*file] ? *file : kNoFile});
  return {};
}

Result<void> PlaceFitter::add_event(const Event& event) {
  RecordedPath& path = paths_[event.path];
  if (path.file == kNoFile || event.kind != EventKind::read || event.length_bytes == 0 ||
      event.length_bytes == kWholeFile)
    return {};
  const uint64_t end = event.offset_bytes + event.length_bytes;
  const uint64_t size = begins_.content().sources[path.file].size_bytes;
  const bool is_only_in_other = !begins_.has_entries(path.file) && other_.has_entries(path.file);
  if (end > size || is_only_in_other) ++fit_.past_ends;
  if (end == size) ++fit_.at_ends;
  const bool is_begin = begins_.is_begin(path.file, event.offset_bytes);
  const bool is_jump = event.offset_bytes != path.last_end_bytes || is_begin ||
                       other_.is_begin(path.file, event.offset_bytes);
  if (is_jump && !is_same_in_both(path.file, event.offset_bytes)) {
    ++fit_.jumps;
    if (is_begin) ++fit_.at_begins;
  }
  path.last_end_bytes = end;
  return {};
}

bool PlaceFitter::is_same_in_both(uint32_t file, uint64_t offset_bytes) const {
  const Place* is = begins_.entry_at(file, offset_bytes);
  const Place* other = other_.entry_at(file, offset_bytes);
  return is != nullptr && other != nullptr &&
         is->header_offset_bytes == other->header_offset_bytes &&
         is->header_bytes == other->header_bytes && is->stored_bytes == other->stored_bytes;
}

RecordedFrom judge_places(const PlaceFit& first, const PlaceFit& second) {
  if (first == second && first.jumps == 0) return RecordedFrom::neither;
  if (is_clearly(first, second)) return RecordedFrom::first;
  if (is_clearly(second, first)) return RecordedFrom::second;
  return RecordedFrom::unknown;
}

}  // namespace seekless

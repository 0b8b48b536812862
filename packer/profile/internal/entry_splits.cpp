#include "packer/profile/internal/entry_splits.h"

#include "packer/base/glob.h"
#include "packer/content/entry_name.h"
#include "packer/content/read_coverage.h"
#include "packer/trace/scenario_marks.h"

namespace seekless {
namespace {

// Events of other files held back while one file waits for its next read.
constexpr size_t kMostHeld = 4096;

}  // namespace

EntrySplits::EntrySplits(const Content& content, const Locator& locator,
                         const std::vector<std::string>& globs, TraceSink& sink)
    : content_(content),
      locator_(locator),
      sink_(sink),
      is_waiting_(content.assets.size()),
      waiting_(content.sources.size()) {
  for (uint32_t asset = 0; asset < content.assets.size(); ++asset) {
    const Place& place = content.assets[asset].place;
    const std::string_view path = content.assets[asset].path;
    if (place.entry == kWholeSource || !(matches_any_glob(globs, path) ||
                                         matches_any_glob(globs, entry_name(content, place, path))))
      continue;
    is_waiting_[asset] = true;
    ++waiting_[place.source];
  }
}

Result<void> EntrySplits::add_path(std::string_view path) {
  SplitPath added = {.file = locator_.find_file(path), .asset = std::nullopt};
  if (!added.file) added.asset = locator_.find_asset(path);
  paths_.push_back(added);
  return sink_.add_path(path);
}

// Calls `visit` for the data of each entry that the event touches and whose scenario hasn't begun.
template <typename Visit>
void EntrySplits::visit_waiting(const Event& event, Visit&& visit) const {
  const SplitPath& path = paths_[event.path];
  // A name alone doesn't show which entry of an archive was read.
  if (!path.file || waiting_[*path.file] == 0 || event.length_bytes == kWholeFile) return;
  locator_.touched(*path.file, event.offset_bytes, event.length_bytes, [&](const Touch& touch) {
    const bool is_of_asset = touch.part == TouchedPart::data || touch.part == TouchedPart::header;
    if (!is_of_asset || !is_waiting_[touch.index]) return;
    const Place& place = content_.assets[touch.index].place;
    if (touch.part == TouchedPart::data || place.size_bytes == 0) visit(touch, place);
  });
}

// Returns the first entry that contains the whole read, or that the read covers. A read of several
// small entries counts for the first one; the others wait for reads of their own. A read that
// continues the previous one counts for the previous one's entry.
std::optional<uint32_t> EntrySplits::begun_by(const Event& event) const {
  const SplitPath& path = paths_[event.path];
  if (event.kind == EventKind::open || event.length_bytes == 0) return std::nullopt;
  if (path.asset) return is_waiting_[*path.asset] ? path.asset : std::nullopt;
  const bool may_be_whole =
      event.kind == EventKind::read && event.offset_bytes != path.last_end_bytes;
  std::optional<uint32_t> found;
  visit_waiting(event, [&](const Touch& touch, const Place& place) {
    const bool is_whole = may_be_whole && touch.length_bytes >= place.stored_bytes;
    if (!found && (is_whole || stays_within(place, {event.offset_bytes, event.length_bytes})))
      found = touch.index;
  });
  return found;
}

// Returns the entry that the read reaches at its end without covering it.
std::optional<uint32_t> EntrySplits::maybe_begun_by(const Event& event) const {
  if (event.kind != EventKind::read || event.length_bytes == 0) return std::nullopt;
  std::optional<uint32_t> found;
  visit_waiting(event, [&](const Touch& touch, const Place& place) {
    if (event.offset_bytes < place.header_offset_bytes && touch.length_bytes < place.stored_bytes)
      found = touch.index;
  });
  return found;
}

// Returns true if the read continues the held-back one, and so counts for the entry that the
// held-back read reached.
bool EntrySplits::is_for_held(const Event& event) const {
  const Event& first = held_.front();
  return event.kind == EventKind::read && event.length_bytes > 0 &&
         event.offset_bytes == first.offset_bytes + first.length_bytes;
}

Result<void> EntrySplits::begin_scenario(uint32_t asset) {
  const Asset& begins = content_.assets[asset];
  is_waiting_[asset] = false;
  --waiting_[begins.place.source];
  ++splits_;
  const int64_t time_ns = held_.empty() ? 0 : held_.front().start_ns;
  return sink_.add_mark({time_ns, scenario_of_path(begins.path), true});
}

Result<void> EntrySplits::release() {
  for (const Event& event : held_) SKL_TRY_DO(sink_.add_event(event));
  held_.clear();
  return {};
}

// If the trace names the entry by its own path, the import has already begun its scenario.
void EntrySplits::note_begun_by_name(const Event& event) {
  const std::optional<uint32_t> asset = paths_[event.path].asset;
  if (asset && is_waiting_[*asset] && scenario_of_path(content_.assets[*asset].path) == marked_) {
    is_waiting_[*asset] = false;
    --waiting_[content_.assets[*asset].place.source];
  }
  marked_.clear();
}

Result<void> EntrySplits::add_event(const Event& event) {
  note_begun_by_name(event);
  const bool is_next = !held_.empty() && held_.front().path == event.path;
  if (is_next && is_for_held(event)) {
    paths_[event.path].last_end_bytes = event.offset_bytes + event.length_bytes;
    SKL_TRY_DO(begin_scenario(held_asset_));
    SKL_TRY_DO(release());
    return sink_.add_event(event);
  }
  const auto asset = begun_by(event);
  paths_[event.path].last_end_bytes = event.offset_bytes + event.length_bytes;
  if (is_next || asset || held_.size() >= kMostHeld) SKL_TRY_DO(release());
  if (asset) {
    held_.push_back(event);
    SKL_TRY_DO(begin_scenario(*asset));
    return release();
  }
  const auto maybe = held_.empty() ? maybe_begun_by(event) : std::nullopt;
  if (maybe) held_asset_ = *maybe;
  if (!maybe && held_.empty()) return sink_.add_event(event);
  held_.push_back(event);
  return {};
}

Result<void> EntrySplits::add_mark(const Mark& mark) {
  SKL_TRY_DO(release());
  marked_ = mark.begins ? mark.scenario : "";
  return sink_.add_mark(mark);
}

}  // namespace seekless

#include "packer/repack/rewritten_places.h"

#include <map>
#include <string_view>
#include <utility>

#include "packer/content/entry_name.h"
#include "packer/content/read_coverage.h"

namespace seekless {
namespace {

using EntryPlaces = std::map<uint32_t, std::pair<std::string_view, const Place*>>;

// Maps the entries of each source, by their numbers in its directory.
std::vector<EntryPlaces> entries_of(const Content& content) {
  std::vector<EntryPlaces> entries(content.sources.size());
  const auto add = [&](const Place& place, std::string_view path) {
    if (place.entry != kWholeSource)
      entries[place.source][place.entry] = {entry_name(content, place, path), &place};
  };
  for (const Asset& asset : content.assets) add(asset.place, asset.path);
  for (const Shadowed& shadowed : content.shadowed) add(shadowed.place, shadowed.path);
  return entries;
}

MovedArchive moved_archive(const EntryPlaces& before, const EntryPlaces& after,
                           const Source& source) {
  std::map<std::string_view, std::vector<const Place*>> by_name;
  for (auto entry = after.rbegin(); entry != after.rend(); ++entry)
    by_name[entry->second.first].push_back(entry->second.second);
  MovedArchive moved = {.entries = {},
                        .directory_offset_bytes = source.directory_offset_bytes,
                        .size_bytes = source.size_bytes};
  if (!before.empty()) moved.entries.resize(before.rbegin()->first + size_t{1});
  for (const auto& [number, entry] : before) {
    std::vector<const Place*>& left = by_name[entry.first];
    if (left.empty()) return {};
    const Place& place = *left.back();
    left.pop_back();
    moved.entries[number] = {place.header_offset_bytes, data_begin_bytes(place),
                             place.stored_bytes};
  }
  return moved;
}

}  // namespace

MovedContent rewritten_places(const Content& before, const Content& after,
                              const std::vector<uint32_t>& now_of) {
  const std::vector<EntryPlaces> old_entries = entries_of(before);
  const std::vector<EntryPlaces> new_entries = entries_of(after);
  MovedContent moved(before.sources.size());
  for (size_t source = 0; source < moved.size(); ++source) {
    const uint32_t now = now_of[source];
    if (now == kSameFile || !before.sources[source].is_archive()) continue;
    moved[source] = moved_archive(old_entries[source], new_entries[now], after.sources[now]);
  }
  return moved;
}

}  // namespace seekless

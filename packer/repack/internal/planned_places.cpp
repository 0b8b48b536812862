#include "packer/repack/internal/planned_places.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/glob.h"
#include "packer/content/entry_name.h"
#include "packer/content/read_coverage.h"
#include "packer/repack/internal/first_entries.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

constexpr uint64_t kEndBytes = 22 + 200;  // the end record, with an overlay's comment
// A directory record is longer than a local header by this many bytes.
constexpr uint64_t kRecordBytesMore = 46 - 30;
constexpr uint64_t kLeastFieldBytes = 6;  // the smallest extra field that aligns

struct PlacedEntry {
  const Place* place = nullptr;
  std::string_view path;
};

uint64_t aligned(uint64_t at, uint64_t align_bytes) {
  const uint64_t over = at % align_bytes;
  if (over == 0) return at;
  uint64_t padding = align_bytes - over;
  while (padding < kLeastFieldBytes) padding += align_bytes;
  return at + padding;
}

class EntryPlanner {
 public:
  EntryPlanner(const Content& content, const RewriteOptions& options)
      : content_(content), options_(options), entries_(content.sources.size()) {
    for (const Asset& asset : content.assets) add(asset.place, asset.path);
    for (const Shadowed& shadowed : content.shadowed) add(shadowed.place, shadowed.path);
  }

  MovedContent plan_overlay(const OverlaySite& site, std::span<const OverlayEntry> order) {
    MovedContent moved(entries_.size());
    const auto file = site.replaced.value_or(static_cast<uint32_t>(moved.size()));
    if (!site.replaced) moved.emplace_back();
    at_ = 0;
    uint64_t directory_bytes = kEndBytes;
    for (const OverlayEntry& of : order) {
      const Place& place = content_.assets[of.asset].place;
      MovedArchive& from = moved[place.source];
      if (from.entries.empty()) from = as_it_is(place.source);
      from.entries[place.entry] = laid({&place, content_.assets[of.asset].path}, true);
      from.entries[place.entry].file = file;
      directory_bytes += place.header_bytes + kRecordBytesMore;
    }
    if (site.replaced) move_copies(site, moved);
    MovedArchive& overlay = moved[file];
    overlay.directory_offset_bytes = at_;
    overlay.size_bytes = at_ + directory_bytes;
    overlay.added_path = site.path();
    overlay.found_after = found_after(site);
    return moved;
  }

  // The entries lie in one added file. That there may be several of at most 2 GiB each changes
  // little.
  void plan_set(const ArchiveSet& set, std::span<const uint32_t> order, MovedContent& moved) {
    const auto file = static_cast<uint32_t>(moved.size());
    moved.emplace_back();
    at_ = 0;
    for (const uint32_t number : order) {
      const auto after =
          std::ranges::upper_bound(set.parts, number, {}, &ArchiveSet::Part::first_entry);
      const ArchiveSet::Part& part = *std::prev(after);
      if (moved[part.source].entries.empty()) moved[part.source] = as_it_is(part.source);
      const uint32_t entry = number - part.first_entry;
      moved[part.source].entries[entry] = laid(entries_[part.source][entry], true);
      moved[part.source].entries[entry].file = file;
    }
    moved[file].directory_offset_bytes = moved[file].size_bytes = at_;
    moved[file].added_path = std::string(content_.sources[set.directory].path) + ".new";
  }

  MovedArchive plan(uint32_t source, const std::vector<uint32_t>& read_entries) {
    const std::vector<PlacedEntry>& entries = entries_[source];
    const Source& old = content_.sources[source];
    archive_ = {};
    archive_.entries.resize(entries.size());
    at_ = old.kind == SourceKind::flat ? first_data_bytes(entries) : 0;
    const std::vector<uint32_t> lying = by_place(entries);
    const size_t first = old.kind == SourceKind::zip ? note_what_stays(entries, lying) : 0;
    std::vector<bool> is_put(entries.size(), false);
    const auto put_once = [&](uint32_t number, bool is_read) {
      if (number >= entries.size() || entries[number].place == nullptr || is_put[number]) return;
      is_put[number] = true;
      put(number, entries[number], is_read);
    };
    for (const uint32_t number : std::span(lying).first(first)) put_once(number, false);
    for (const uint32_t number : read_entries) put_once(number, true);
    for (const uint32_t number : lying) put_once(number, false);
    kept_ = {};
    if (old.kind == SourceKind::flat && old.directory_offset_bytes == 0) {
      archive_.size_bytes = at_;  // the directory stays where it is
    } else {
      archive_.directory_offset_bytes = at_;
      archive_.size_bytes = at_ + (old.size_bytes - old.directory_offset_bytes);
    }
    return std::move(archive_);
  }

 private:
  void add(const Place& place, std::string_view path) {
    if (place.entry == kWholeSource) return;
    std::vector<PlacedEntry>& entries = entries_[place.source];
    if (entries.size() <= place.entry) entries.resize(place.entry + 1);
    entries[place.entry] = {&place, path};
  }

  static std::vector<uint32_t> by_place(const std::vector<PlacedEntry>& entries) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < entries.size(); ++i)
      if (entries[i].place != nullptr) numbers.push_back(i);
    std::ranges::stable_sort(numbers, {},
                             [&](uint32_t i) { return entries[i].place->header_offset_bytes; });
    return numbers;
  }

  // Returns how many entries stay at the front.
  size_t note_what_stays(const std::vector<PlacedEntry>& entries, std::span<const uint32_t> lying) {
    const size_t first = count_first(lying, [&](uint32_t i) { return name_of(entries[i]); });
    for (const uint32_t number : lying.subspan(first)) {
      const Place& place = *entries[number].place;
      if (place.method == zip_method::kStored && place.size_bytes > 0)
        kept_.add(data_begin_bytes(place));
    }
    return first;
  }

  // A flat archive's entries lie after its header or its directory.
  static uint64_t first_data_bytes(const std::vector<PlacedEntry>& entries) {
    uint64_t first = UINT64_MAX;
    for (const PlacedEntry& entry : entries)
      if (entry.place != nullptr && entry.place->size_bytes > 0)
        first = std::min(first, entry.place->header_offset_bytes);
    return first == UINT64_MAX ? 0 : first;
  }

  bool is_to_store(const PlacedEntry& entry, bool is_read) const {
    const Place& place = *entry.place;
    const bool is_stored = place.method == zip_method::kStored;
    if (!can_unpack(place.method, place.is_encrypted)) return is_stored;
    Compression wanted = is_read ? options_.compression : Compression::keep;
    if (wanted == Compression::store &&
        !options_.storing.is_for(place.size_bytes, place.stored_bytes))
      wanted = Compression::keep;
    for (const CompressionRule& rule : options_.rules)
      if (matches_glob(rule.glob, entry_name(content_, place, entry.path)))
        wanted = rule.compression;
    return wanted == Compression::keep ? is_stored : wanted == Compression::store;
  }

  // Redirects reads of the overlay that is being replaced to the path's new place: in the new
  // overlay, or else in the first archive that holds it.
  void move_copies(const OverlaySite& site, MovedContent& moved) const {
    std::map<std::string_view, MovedEntry> by_name;
    for (const bool is_in_overlay : {true, false})
      for (const OverlaidArchive& archive : site.archives) {
        if (!archive.is_overlaid) continue;
        const std::vector<PlacedEntry>& entries = entries_[archive.source];
        const MovedArchive& places = moved[archive.source];
        for (size_t i = 0; i < entries.size(); ++i) {
          if (entries[i].place == nullptr) continue;
          MovedEntry to = i < places.entries.size() ? places.entries[i] : as_it_is(entries[i]);
          if ((to.file != kSameFile) != is_in_overlay) continue;
          if (to.file == kSameFile) to.file = archive.source;
          by_name.emplace(name_of(entries[i]), to);
        }
      }
    MovedArchive& old = moved[*site.replaced];
    old = as_it_is(*site.replaced);
    for (size_t i = 0; i < old.entries.size(); ++i) {
      const PlacedEntry& entry = entries_[*site.replaced][i];
      if (entry.place == nullptr) continue;
      const auto found = by_name.find(name_of(entry));
      if (found != by_name.end()) old.entries[i] = found->second;
    }
  }

  std::string_view name_of(const PlacedEntry& entry) const {
    return entry_name(content_, *entry.place, entry.path);
  }

  static uint32_t found_after(const OverlaySite& site) {
    for (const uint32_t archive : site.precedence.winners_first())
      if (site.archives[archive].is_overlaid) return site.archives[archive].source;
    return kSameFile;
  }

  static MovedEntry as_it_is(const PlacedEntry& entry) {
    if (entry.place == nullptr) return {};
    return {entry.place->header_offset_bytes, data_begin_bytes(*entry.place),
            entry.place->stored_bytes};
  }

  MovedArchive as_it_is(uint32_t source) const {
    MovedArchive archive = {
        .entries = {},
        .directory_offset_bytes = content_.sources[source].directory_offset_bytes,
        .size_bytes = content_.sources[source].size_bytes};
    for (const PlacedEntry& entry : entries_[source]) archive.entries.push_back(as_it_is(entry));
    return archive;
  }

  void put(uint32_t number, const PlacedEntry& entry, bool is_read) {
    archive_.entries[number] = laid(entry, is_read);
  }

  // Returns the entry's place behind all entries laid out so far.
  MovedEntry laid(const PlacedEntry& entry, bool is_read) {
    const Source& source = content_.sources[entry.place->source];
    if (source.kind == SourceKind::flat) {
      const uint64_t data = format::round_up(at_, source.alignment_bytes);
      at_ = data + entry.place->stored_bytes;
      return {data, data, entry.place->stored_bytes};
    }
    const bool is_stored = is_to_store(entry, is_read);
    const bool is_unpacked = is_stored && entry.place->method != zip_method::kStored;
    const uint64_t bytes = is_unpacked ? entry.place->size_bytes : entry.place->stored_bytes;
    const bool was_stored = entry.place->method == zip_method::kStored;
    const uint32_t kept_bytes =
        kept_.of(was_stored ? std::optional(data_begin_bytes(*entry.place)) : std::nullopt);
    const uint64_t data = aligned(
        at_ + entry.place->header_bytes,
        std::max(options_.alignment.of(bytes, is_stored, is_read), is_stored ? kept_bytes : 1));
    const MovedEntry at = {at_, data, bytes};
    at_ = data + bytes;
    return at;
  }

  const Content& content_;
  const RewriteOptions& options_;
  std::vector<std::vector<PlacedEntry>>
      entries_;  // indexed by source, then by number in the directory
  MovedArchive archive_;
  KeptAlignment kept_;  // alignment of the archive being planned
  uint64_t at_ = 0;
};

}  // namespace

MovedContent planned_places(const Content& content, const EntryOrder& order,
                            const RewriteOptions& options) {
  EntryPlanner planner(content, options);
  MovedContent moved(content.sources.size());
  const auto is_read = [&](uint32_t source) {
    return source < order.read_entries.size() && !order.read_entries[source].empty();
  };
  for (const ArchiveSet& set : content.sets)
    if (is_read(set.directory)) planner.plan_set(set, order.read_entries[set.directory], moved);
  for (uint32_t source = 0; source < content.sources.size(); ++source)
    if (is_read(source) && content.set_of(source) == nullptr)
      moved[source] = planner.plan(source, order.read_entries[source]);
  return moved;
}

MovedContent planned_overlay(const Content& content, const OverlaySite& site,
                             std::span<const OverlayEntry> entries, const RewriteOptions& options) {
  return EntryPlanner(content, options).plan_overlay(site, entries);
}

}  // namespace seekless

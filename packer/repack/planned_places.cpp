#include "packer/repack/planned_places.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "packer/content/entry_name.h"
#include "packer/host/glob.h"

namespace seekless {
namespace {

constexpr uint64_t kLeastFieldBytes = 6;  // of the extra field that aligns

struct Entry {
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

class Planner {
 public:
  Planner(const Content& content, const RewriteOptions& options)
      : content_(content), options_(options), entries_(content.sources.size()) {
    for (const Asset& asset : content.assets) add(asset.place, asset.path);
    for (const Shadowed& shadowed : content.shadowed) add(shadowed.place, shadowed.path);
  }

  MovedArchive plan(uint32_t source, const std::vector<uint32_t>& read_entries) {
    const std::vector<Entry>& entries = entries_[source];
    archive_ = {};
    archive_.entries.resize(entries.size());
    at_ = 0;
    std::vector<bool> is_read(entries.size(), false);
    for (const uint32_t number : read_entries) {
      if (number >= entries.size() || entries[number].place == nullptr) continue;
      is_read[number] = true;
      put(number, entries[number], true);
    }
    for (const uint32_t number : by_place(entries))
      if (!is_read[number]) put(number, entries[number], false);
    const Source& old = content_.sources[source];
    archive_.directory_offset_bytes = at_;
    archive_.size_bytes = at_ + (old.size_bytes - old.directory_offset_bytes);
    return std::move(archive_);
  }

 private:
  void add(const Place& place, std::string_view path) {
    if (place.entry == kWholeSource) return;
    std::vector<Entry>& entries = entries_[place.source];
    if (entries.size() <= place.entry) entries.resize(place.entry + 1);
    entries[place.entry] = {&place, path};
  }

  static std::vector<uint32_t> by_place(const std::vector<Entry>& entries) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < entries.size(); ++i)
      if (entries[i].place != nullptr) numbers.push_back(i);
    std::ranges::stable_sort(numbers, {},
                             [&](uint32_t i) { return entries[i].place->header_offset_bytes; });
    return numbers;
  }

  bool is_to_store(const Entry& entry, bool is_read) const {
    const Place& place = *entry.place;
    const bool is_stored = place.method == zip_method::kStored;
    if (!can_unpack(place.method, place.is_encrypted)) return is_stored;
    Compression wanted = is_read ? options_.compression : Compression::keep;
    for (const CompressionRule& rule : options_.rules)
      if (matches_glob(rule.glob, entry_name(content_, place, entry.path)))
        wanted = rule.compression;
    return wanted == Compression::keep ? is_stored : wanted == Compression::store;
  }

  void put(uint32_t number, const Entry& entry, bool is_read) {
    const bool is_stored = is_to_store(entry, is_read);
    const bool is_unpacked = is_stored && entry.place->method != zip_method::kStored;
    const uint64_t bytes = is_unpacked ? entry.place->size_bytes : entry.place->stored_bytes;
    const uint64_t data =
        aligned(at_ + entry.place->header_bytes, options_.alignment.of(bytes, is_stored, is_read));
    archive_.entries[number] = {at_, data, bytes};
    at_ = data + bytes;
  }

  const Content& content_;
  const RewriteOptions& options_;
  std::vector<std::vector<Entry>> entries_;  // by source, by number in the directory
  MovedArchive archive_;
  uint64_t at_ = 0;
};

}  // namespace

MovedContent planned_places(const Content& content, const EntryOrder& order,
                            const RewriteOptions& options) {
  Planner planner(content, options);
  MovedContent moved(content.sources.size());
  for (uint32_t source = 0; source < moved.size(); ++source)
    if (source < order.read_entries.size() && !order.read_entries[source].empty())
      moved[source] = planner.plan(source, order.read_entries[source]);
  return moved;
}

}  // namespace seekless

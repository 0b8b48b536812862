#include "packer/content/archive_sets.h"

#include <algorithm>
#include <set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/content/iostore_set.h"
#include "packer/content/vpk_set.h"

namespace seekless {
namespace {

ListedSet listing_of(VpkSet&& set) {
  ListedSet listing = {.format = "Valve's VPK",
                       .parts = {},
                       .entries = {},
                       .alignment_bytes = set.alignment_bytes,
                       .obstacle = std::move(set.obstacle)};
  for (const VpkPart& part : set.parts)
    listing.parts.push_back({.number = part.number,
                             .path = part.path,
                             .size_bytes = part.size_bytes,
                             .first_entry = part.first_entry,
                             .entry_count = part.entry_count,
                             .is_named = part.is_named});
  listing.entries.reserve(set.entries.size());
  for (const uint32_t entry : set.entries) {
    VpkRecord& record = set.records[entry];
    listing.entries.push_back({std::move(record.path), record.offset_bytes, record.size_bytes});
  }
  return listing;
}

ListedSet listing_of(IoStoreSet&& set) {
  ListedSet listing = {.format = "Unreal's IoStore",
                       .parts = std::move(set.parts),
                       .entries = {},
                       .alignment_bytes = kIoStoreAlignmentBytes,
                       .obstacle = std::move(set.toc.obstacle)};
  listing.entries.reserve(set.runs.size());
  for (IoStoreRun& run : set.runs)
    listing.entries.push_back({std::move(run.name), run.offset_bytes, run.size_bytes});
  return listing;
}

bool is_vpk_made_from(const VpkSet& now, const VpkSet& kept) {
  if (!have_same_files(now, kept)) return false;
  std::set<uint16_t> named;
  for (const VpkRecord& record : kept.records) named.insert(record.file);
  bool has_moved = false;
  for (size_t i = 0; i < now.records.size(); ++i) {
    const VpkRecord& is = now.records[i];
    const VpkRecord& was = kept.records[i];
    if (is.file == was.file && is.offset_bytes == was.offset_bytes) continue;
    if (named.contains(is.file)) return false;
    has_moved = true;
  }
  return has_moved;
}

bool is_iostore_made_from(const IoStoreToc& now, const IoStoreToc& kept) {
  if (!now.obstacle.empty() || !kept.obstacle.empty() || now.hash != kept.hash) return false;
  bool has_moved = false;
  for (size_t i = 0; i < now.blocks.size(); ++i) {
    if (now.blocks[i] == kept.blocks[i]) continue;
    if (now.blocks[i].part < kept.part_count) return false;
    has_moved = true;
  }
  return has_moved;
}

}  // namespace

Result<std::optional<ListedSet>> read_set(const ByteSource& directory, const std::string& path) {
  SKL_TRY(auto vpk, read_vpk_set(directory, path));
  if (vpk) return listing_of(*std::move(vpk));
  SKL_TRY(auto container, read_iostore_set(directory, path));
  if (container) return listing_of(*std::move(container));
  return std::nullopt;
}

bool may_name_part(const ByteSource& directory, const std::string& path, const std::string& part) {
  if (const auto toc = read_iostore_toc(directory); toc && *toc) {
    if (!(*toc)->obstacle.empty()) return true;
    // Engines open all parts, also those in which no block lies.
    for (uint32_t number = 0; number < (*toc)->part_count; ++number)
      if (file_name(iostore_part_path(path, number)) == part) return true;
    return false;
  }
  const auto set = read_vpk_set(directory, path);
  if (!set || !*set || !(*set)->is_tree_read) return true;
  return std::ranges::any_of((*set)->records, [&](const VpkRecord& record) {
    return record.is_in_part() && file_name(vpk_part_path(path, record.file)) == part;
  });
}

Result<bool> is_made_from(const ByteSource& now, const ByteSource& kept, const std::string& path) {
  SKL_TRY(const auto new_toc, read_iostore_toc(now));
  SKL_TRY(const auto old_toc, read_iostore_toc(kept));
  if (new_toc && old_toc) return is_iostore_made_from(*new_toc, *old_toc);
  SKL_TRY(const auto new_set, read_vpk_set(now, path));
  SKL_TRY(const auto old_set, read_vpk_set(kept, path));
  return new_set && old_set && is_vpk_made_from(*new_set, *old_set);
}

}  // namespace seekless

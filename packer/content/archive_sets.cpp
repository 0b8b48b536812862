#include "packer/content/archive_sets.h"

#include <algorithm>
#include <set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/content/flat_archive.h"
#include "packer/content/internal/vpk_tree.h"
#include "packer/content/iostore_set.h"
#include "packer/content/vpk_set.h"
#include "packer/host/folder_entries.h"
#include "packer/host/kept_elsewhere.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

ListedSet listing_of(VpkSet&& set) {
  ListedSet listing = {.format = "Valve's VPK",
                       .parts = std::move(set.parts),
                       .entries = {},
                       .alignment_bytes = set.alignment_bytes,
                       .obstacle = std::move(set.obstacle),
                       .fit = set.fit};
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
                       .obstacle = std::move(set.toc.obstacle),
                       .fit = set.fit};
  listing.entries.reserve(set.runs.size());
  for (IoStoreRun& run : set.runs)
    listing.entries.push_back({std::move(run.name), run.offset_bytes, run.size_bytes});
  return listing;
}

StateOfSet compare_vpk(const VpkSet& now, const VpkSet& kept) {
  if (!have_same_files(now, kept)) return StateOfSet::update;
  std::set<uint16_t> named;
  for (const VpkRecord& record : kept.records)
    if (record.is_in_part()) named.insert(record.file);
  bool has_moved = false;
  for (size_t i = 0; i < now.records.size(); ++i) {
    const VpkRecord& is = now.records[i];
    const VpkRecord& was = kept.records[i];
    if (is.file == was.file && is.offset_bytes == was.offset_bytes) continue;
    if (named.contains(is.file)) return StateOfSet::update;
    has_moved = true;
  }
  return has_moved ? StateOfSet::ours : StateOfSet::original;
}

StateOfSet compare_iostore(const IoStoreToc& now, const IoStoreToc& kept) {
  if (!now.obstacle.empty() || !kept.obstacle.empty() || now.hash != kept.hash)
    return StateOfSet::update;
  bool has_moved = false;
  for (size_t i = 0; i < now.blocks.size(); ++i) {
    if (now.blocks[i] == kept.blocks[i]) continue;
    if (now.blocks[i].part < kept.part_count) return StateOfSet::update;
    has_moved = true;
  }
  return has_moved ? StateOfSet::ours : StateOfSet::original;
}

// Returns true if a file begins with the magic number of a set's directory, or can't be read now.
// Opening a file that is kept elsewhere would download it.
bool may_be_directory(const std::string& path) {
  if (is_kept_elsewhere(path)) return true;
  const auto source = open_source(path);
  if (!source) return true;
  if (const auto container = is_iostore_directory(**source); container && *container) return true;
  if ((*source)->size_bytes() < kVpkMagic.size()) return false;
  const auto magic = bytes_at(**source, 0, kVpkMagic.size());
  return !magic || *magic == kVpkMagic;
}

// Returns the folded names of the directories of sets in a folder; nothing if it can't be listed.
// Engines on Windows see no difference between capitals and small letters.
std::optional<std::set<std::string>> find_directories(const std::string& folder) {
  const auto entries = list_folder(folder);
  if (!entries) return std::nullopt;
  std::set<std::string> names;
  for (const FolderEntry& entry : *entries) {
    const bool has_name = has_name_of_vpk_set(entry.name) || has_name_of_iostore_set(entry.name);
    if (has_name && !entry.is_folder && !entry.leads_nowhere &&
        may_be_directory(folder + "/" + entry.name))
      names.insert(fold_case(entry.name));
  }
  return names;
}

}  // namespace

Result<std::optional<ListedSet>> read_set(const ByteSource& directory, const std::string& path) {
  SKL_TRY(auto vpk, read_vpk_set(directory, path));
  if (vpk) return listing_of(*std::move(vpk));
  SKL_TRY(auto container, read_iostore_set(directory, path));
  if (container) return listing_of(*std::move(container));
  return std::nullopt;
}

bool PartsByName::contains(const std::string& path) {
  std::vector<std::string> directories = iostore_directories_of(path);
  if (std::string vpk = vpk_directory_of(path); !vpk.empty()) directories.push_back(std::move(vpk));
  if (directories.empty()) return false;
  const std::string folder(folder_above(path));
  auto known = directories_.find(folder);
  if (known == directories_.end())
    known = directories_.emplace(folder, find_directories(folder)).first;
  // In a folder that can't be listed, there may be any.
  const auto& names = known->second;
  return !names || std::ranges::any_of(directories, [&](const std::string& directory) {
    return names->contains(fold_case(file_name(directory)));
  });
}

std::optional<std::set<std::string>> named_parts(const ByteSource& directory,
                                                 const std::string& path) {
  std::set<std::string> parts;
  if (const auto toc = read_iostore_toc(directory); toc && *toc) {
    if (!(*toc)->obstacle.empty()) return std::nullopt;
    // Engines open all parts, also those in which no block lies.
    for (uint32_t number = 0; number < (*toc)->part_count; ++number)
      parts.emplace(file_name(iostore_part_path(path, number)));
    return parts;
  }
  const auto set = read_vpk_set(directory, path);
  if (!set || !*set || !(*set)->is_tree_read) return std::nullopt;
  std::set<uint16_t> numbers;
  for (const uint32_t entry : (*set)->entries) numbers.insert((*set)->records[entry].file);
  for (const uint16_t number : numbers) parts.emplace(file_name(vpk_part_path(path, number)));
  return parts;
}

Result<StateOfSet> compare_with_kept(const ByteSource& now, const ByteSource& kept,
                                     const std::string& path) {
  SKL_TRY(const auto new_toc, read_iostore_toc(now));
  SKL_TRY(const auto old_toc, read_iostore_toc(kept));
  if (new_toc && old_toc) return compare_iostore(*new_toc, *old_toc);
  SKL_TRY(const auto new_set, read_vpk_set(now, path));
  SKL_TRY(const auto old_set, read_vpk_set(kept, path));
  return new_set && old_set ? compare_vpk(*new_set, *old_set) : StateOfSet::update;
}

}  // namespace seekless

#include "packer/repack/entry_order.h"

#include <algorithm>
#include <tuple>

#include "packer/base/none.h"
#include "packer/entries/archive_order.h"
#include "packer/entries/archive_reads.h"
#include "packer/profile/find_assets.h"

namespace seekless {
namespace {

// Returns the assets in the set's parts that the profile reads, in the order they lie.
std::vector<uint32_t> read_assets_of(const ArchiveSet& set, const Profile& profile,
                                     const Content& content) {
  std::vector<uint32_t> assets;
  for (const uint32_t asset : find_assets(profile, content))
    if (asset != kNone && set.part(content.assets[asset].place.source) != nullptr)
      assets.push_back(asset);
  std::ranges::sort(assets, {}, [&](uint32_t asset) {
    const Place& place = content.assets[asset].place;
    return std::tuple(place.source, place.header_offset_bytes, place.entry);
  });
  return assets;
}

// The entries of all parts get one order, because they will lie in new parts together.
std::vector<uint32_t> order_set(const ArchiveSet& set, const Profile& profile,
                                const Content& content, const EntryOrderOptions& options) {
  const std::vector<uint32_t> assets = read_assets_of(set, profile, content);
  const ArchiveReads reads =
      reads_of_assets(profile, content, options.weights, options.storing, assets);
  std::vector<uint32_t> numbers;
  for (const uint32_t entry : order_archive(reads, {options.drive, options.alignment})) {
    const Place& place = content.assets[assets[reads.entries[entry].number]].place;
    numbers.push_back(set.part(place.source)->first_entry + place.entry);
  }
  return numbers;
}

}  // namespace

EntryOrder order_entries(const Profile& profile, const Content& content,
                         const EntryOrderOptions& options) {
  if (!is_in_planning_order(profile))
    return order_entries(in_planning_order(profile), content, options);
  EntryOrder order;
  const ArchiveOrderOptions each = {options.drive, options.alignment};
  const std::vector<bool> is_part = content.parts_of_sets();
  for (const ArchiveReads& reads :
       archive_reads(profile, content, options.weights, options.storing)) {
    std::vector<uint32_t>& numbers = order.read_entries.emplace_back();
    if (is_part[order.read_entries.size() - 1]) continue;
    for (const uint32_t entry : order_archive(reads, each))
      numbers.push_back(reads.entries[entry].number);
  }
  for (const ArchiveSet& set : content.sets)
    order.read_entries[set.directory] = order_set(set, profile, content, options);
  return order;
}

}  // namespace seekless

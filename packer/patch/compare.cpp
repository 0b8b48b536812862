#include "packer/patch/compare.h"

#include <algorithm>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "packer/host/runtime_error.h"
#include "packer/pack/live_assets.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/pack.h"

namespace seekless {
namespace {

// Describes a stored copy of an asset.
struct PackedCopy {
  std::string path;
  uint32_t pack = 0;  // number of the pack in the set
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};
  uint64_t place = 0;  // offset within its MiB of the file
};

constexpr uint64_t kGridBytes = 1024 * 1024;

// `catalog` is null for a single pack.
Result<void> list_pack(const runtime::FileIo& io, const runtime::Catalog* catalog,
                       const SetFile& file, uint32_t number, std::vector<PackedCopy>& copies) {
  auto opened = io.open(file.path);
  if (!opened) return from_runtime(opened.error());
  const auto pack = runtime::Pack::open(std::move(*opened));
  if (!pack) return from_runtime(pack.error());
  uint32_t index = 0;
  for (uint32_t chunk = 0; chunk < (*pack)->chunk_count(); ++chunk) {
    auto paths = (*pack)->paths_of_chunk(chunk);
    if (!paths) return from_runtime(paths.error());
    for (std::string& path : *paths) {
      const format::Asset& asset = (*pack)->assets()[index];
      const bool is_dead =
          catalog != nullptr && !names_asset(*catalog, number, index, asset.path_hash);
      const auto hash = (*pack)->content_hash(index++);
      if (!hash) return from_runtime(hash.error());
      if (is_dead) continue;
      const uint64_t begin = asset.size_bytes == 0 ? 0
                                                   : (*pack)->blocks()[asset.block].offset_bytes +
                                                         runtime::offset_in_block(asset);
      copies.push_back({std::move(path), number, asset.size_bytes, *hash, begin % kGridBytes});
    }
  }
  return {};
}

// Returns the copies sorted by path, then in the order of the packs.
Result<std::vector<PackedCopy>> list_set(const SetFiles& set) {
  const auto io = runtime::make_system_file_io();
  std::vector<PackedCopy> copies;
  std::unique_ptr<runtime::Catalog> catalog;  // kept for the last file of a set
  if (!set.is_single) {
    const auto file = io->open(set.files.back().path);
    if (!file) return from_runtime(file.error());
    auto opened = runtime::Catalog::open(**file);
    if (!opened) return from_runtime(opened.error());
    catalog = std::move(*opened);
  }
  for (uint32_t i = 0; i + (set.is_single ? 0 : 1) < set.files.size(); ++i) {
    SKL_TRY_DO(list_pack(*io, catalog.get(), set.files[i], i, copies));
  }
  std::ranges::sort(copies, {},
                    [](const PackedCopy& copy) { return std::tie(copy.path, copy.pack); });
  return copies;
}

// Removes the copies of the first path from the front of `copies`, and returns them.
std::span<const PackedCopy> take_path(std::span<const PackedCopy>& copies) {
  size_t count = 1;
  while (count < copies.size() && copies[count].path == copies[0].path) ++count;
  const auto taken = copies.first(count);
  copies = copies.subspan(count);
  return taken;
}

}  // namespace

Result<SetChanges> compare_sets(const SetFiles& old, const SetFiles& now) {
  SKL_TRY(const auto before, list_set(old));
  SKL_TRY(const auto after, list_set(now));
  const auto pack_of = [](const SetFiles& set, const PackedCopy& copy) {
    return set.is_single ? std::string() : set.files[copy.pack].name;
  };
  SetChanges changes;
  std::span<const PackedCopy> left(before);
  std::span<const PackedCopy> right(after);
  while (!left.empty() || !right.empty()) {
    const bool is_removed =
        right.empty() || (!left.empty() && left.front().path < right.front().path);
    const bool is_added =
        left.empty() || (!right.empty() && right.front().path < left.front().path);
    if (is_removed) {
      const PackedCopy& copy = take_path(left).front();
      changes.removed.push_back({copy.path, pack_of(old, copy), copy.size_bytes, 0});
      continue;
    }
    const auto now_copies = take_path(right);
    const PackedCopy& copy = now_copies.front();
    if (is_added) {
      changes.added.push_back({copy.path, pack_of(now, copy), 0, copy.size_bytes});
      continue;
    }
    const auto old_copies = take_path(left);
    const PackedCopy& from = old_copies.front();
    const AssetChange change = {copy.path, pack_of(now, copy), from.size_bytes, copy.size_bytes};
    const bool lies_same = std::ranges::equal(
        old_copies, now_copies, [&](const PackedCopy& one, const PackedCopy& other) {
          return one.place == other.place && pack_of(old, one) == pack_of(now, other);
        });
    if (from.hash != copy.hash) {
      changes.changed.push_back(change);
    } else if (!lies_same) {
      changes.moved.push_back(change);
    } else {
      ++changes.same_assets;
      changes.same_bytes += copy.size_bytes;
    }
  }
  return changes;
}

}  // namespace seekless

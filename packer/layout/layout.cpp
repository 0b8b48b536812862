#include "packer/layout/layout.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_set>

#include <fmt/format.h>

#include "packer/words/utf8.h"
#include "runtime/asset_path.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

// File systems allow 255 bytes. The extension follows, and perhaps a number that makes the name
// unique.
constexpr size_t kMaxPackNameBytes = 180;
// The tables of 2^31 assets with the longest paths are shorter.
constexpr uint64_t kMostDataOffsetBytes = uint64_t{1} << 44;

Result<void> check_asset(const Layout& layout, const LaidPack& pack, const LaidAsset& asset,
                         const std::string& file) {
  const auto wrong = [&](std::string expected, std::string found) {
    return damaged({.file = file,
                    .place = fmt::format("pack '{}', asset '{}'", pack.name, asset.path),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = "plan again"});
  };
  if (const PathFault fault = check_asset_path(asset.path); fault != PathFault::none)
    return wrong("a valid path", describe(fault));
  if (asset.source >= layout.sources.size())
    return wrong(fmt::format("a source below {}", layout.sources.size()),
                 fmt::to_string(asset.source));
  if (asset.scenario_set >= layout.scenario_sets.size())
    return wrong(fmt::format("a scenario set below {}", layout.scenario_sets.size()),
                 fmt::to_string(asset.scenario_set));
  if (!std::has_single_bit(asset.alignment_bytes) || asset.alignment_bytes > kMaxAlignmentBytes)
    return wrong("an alignment that is a power of two up to 4096",
                 fmt::to_string(asset.alignment_bytes));
  const bool is_archive = layout.sources[asset.source].is_archive();
  if (is_archive != (asset.entry != kWholeSource))
    return wrong("an entry number for archives alone", is_archive ? "none" : "one");
  return {};
}

Result<void> check_unique_paths(const Layout& layout, const LaidPack& pack,
                                const std::string& file) {
  std::vector<std::string> folded;
  std::vector<std::string_view> paths;
  paths.reserve(pack.assets.size());
  if (layout.fold_case) folded.reserve(pack.assets.size());
  for (const LaidAsset& asset : pack.assets)
    paths.push_back(layout.fold_case ? std::string_view(folded.emplace_back(fold_case(asset.path)))
                                     : std::string_view(asset.path));
  std::ranges::sort(paths);
  const auto twice = std::ranges::adjacent_find(paths);
  if (twice == paths.end()) return {};
  return damaged({.file = file,
                  .place = fmt::format("pack '{}'", pack.name),
                  .expected = "each path once",
                  .found = fmt::format("'{}' twice", *twice),
                  .advice = "plan again"});
}

// Checks that copies in several packs have the same content, because readers take the nearest copy.
class CopyCheck {
 public:
  CopyCheck(const Layout& layout, const std::string& file) : layout_(layout), file_(file) {}

  Result<void> run() const {
    const std::vector<AssetCopy> copies = sorted_copies();
    for (size_t i = 1; i < copies.size(); ++i)
      if (copies[i - 1].hash == copies[i].hash && compare(copies[i - 1], copies[i]) == 0)
        SKL_TRY_DO(check(copies[i - 1], copies[i]));
    return {};
  }

 private:
  struct AssetCopy {
    uint64_t hash;  // hash of the path: sorting a million hashes takes a tenth of the time
    uint32_t pack;
    uint32_t asset;
  };

  const LaidAsset& asset_of(const AssetCopy& copy) const {
    return layout_.packs[copy.pack].assets[copy.asset];
  }

  int compare(const AssetCopy& a, const AssetCopy& b) const {
    const std::string_view path = asset_of(a).path;
    const std::string_view other = asset_of(b).path;
    return layout_.fold_case ? compare_folded(path, other) : path.compare(other);
  }

  std::vector<AssetCopy> sorted_copies() const {
    size_t count = 0;
    for (const LaidPack& pack : layout_.packs) count += pack.assets.size();
    std::vector<AssetCopy> copies;
    copies.reserve(count);
    for (uint32_t i = 0; i < layout_.packs.size(); ++i)
      for (uint32_t j = 0; j < layout_.packs[i].assets.size(); ++j)
        copies.push_back(
            {hash_asset_path(layout_.packs[i].assets[j].path, 0, layout_.fold_case), i, j});
    std::ranges::sort(copies, [this](const AssetCopy& a, const AssetCopy& b) {
      if (a.hash != b.hash) return a.hash < b.hash;
      const int order = compare(a, b);
      return order != 0 ? order < 0 : a.pack < b.pack;
    });
    return copies;
  }

  std::string describe_place(const LaidAsset& asset) const {
    const std::string entry =
        asset.entry == kWholeSource ? "" : fmt::format(", entry {}", asset.entry);
    return fmt::format("{} bytes of '{}'{}", asset.size_bytes,
                       std::string_view(layout_.sources[asset.source].path), entry);
  }

  Result<void> check(const AssetCopy& one, const AssetCopy& other) const {
    const LaidAsset& a = asset_of(one);
    const LaidAsset& b = asset_of(other);
    if (a.source == b.source && a.entry == b.entry && a.size_bytes == b.size_bytes &&
        a.crc32 == b.crc32)
      return {};
    return damaged({.file = file_,
                    .place = fmt::format("asset '{}'", b.path),
                    .expected = fmt::format("in pack '{}' what pack '{}' has under that path, {}",
                                            layout_.packs[other.pack].name,
                                            layout_.packs[one.pack].name, describe_place(a)),
                    .found = describe_place(b),
                    .advice = "plan again"});
  }

  const Layout& layout_;
  const std::string& file_;
};

// Returns the block in which an asset ends, and the byte in that block. Large assets fill whole
// blocks.
PlaceInPack end_of_asset(const PlaceInPack& place, uint64_t size_bytes, uint32_t block_bytes) {
  if (size_bytes <= block_bytes)
    return {place.block, static_cast<uint32_t>(place.offset_bytes + size_bytes)};
  return {static_cast<uint32_t>(place.block + (size_bytes - 1) / block_bytes),
          static_cast<uint32_t>((size_bytes - 1) % block_bytes + 1)};
}

// Returns a description of the fault in one asset's place; empty if there is none.
std::string fault_of_place(const LaidAsset& asset, const PlaceInPack& place,
                           const LaidPlaces& places, uint32_t block_bytes) {
  if (asset.size_bytes == 0) return place == PlaceInPack() ? "" : "an empty asset not at 0, 0";
  const std::vector<uint32_t>& blocks = places.block_raw_bytes;
  const uint64_t last = (asset.size_bytes - 1) / block_bytes;
  const bool is_large = asset.size_bytes > block_bytes;
  if (place.block >= blocks.size() || last >= blocks.size() - place.block)
    return "a place after the last block";
  if (is_large && place.offset_bytes != 0) return "a large asset that doesn't start its block";
  if (place.offset_bytes > block_bytes) return "an offset beyond its block";
  for (uint64_t i = 0; is_large && i < last; ++i)
    if (blocks[place.block + i] != block_bytes) return "a large asset in a block that isn't full";
  const PlaceInPack end = end_of_asset(place, asset.size_bytes, block_bytes);
  return end.offset_bytes <= blocks[end.block] ? "" : "an end beyond its block";
}

// Checks assets in the order they lie. Assets at the same place must have the same size, and the
// place must be aligned for at least one of them. Other assets must not overlap.
Result<void> check_overlaps(const LaidPack& pack, uint32_t block_bytes, const std::string& file) {
  const std::vector<PlaceInPack>& places = pack.places->assets;
  const auto wrong = [&](uint32_t asset, std::string expected, std::string found) {
    return damaged(
        {.file = file,
         .place = fmt::format("pack '{}', asset '{}'", pack.name, pack.assets[asset].path),
         .expected = std::move(expected),
         .found = std::move(found),
         .advice = "plan again"});
  };
  std::vector<uint32_t> by_place;
  for (uint32_t i = 0; i < places.size(); ++i)
    if (pack.assets[i].size_bytes > 0) by_place.push_back(i);
  std::ranges::stable_sort(by_place, {}, [&](uint32_t i) { return places[i]; });
  PlaceInPack end;
  for (size_t at = 0; at < by_place.size();) {
    const uint32_t first = by_place[at];
    if (places[first] < end)
      return wrong(first, "a place of its own", "one that overlaps another asset");
    bool is_aligned = false;
    for (; at < by_place.size() && places[by_place[at]] == places[first]; ++at) {
      const LaidAsset& asset = pack.assets[by_place[at]];
      if (asset.size_bytes != pack.assets[first].size_bytes)
        return wrong(by_place[at], "the size of what has its place",
                     fmt::to_string(asset.size_bytes));
      is_aligned = is_aligned || places[first].offset_bytes % asset.alignment_bytes == 0;
    }
    if (!is_aligned)
      return wrong(first, "a place at a multiple of its alignment",
                   fmt::to_string(places[first].offset_bytes));
    end = end_of_asset(places[first], pack.assets[first].size_bytes, block_bytes);
  }
  return {};
}

Result<void> check_places(const Layout& layout, const LaidPack& pack, const std::string& file) {
  const LaidPlaces& places = *pack.places;
  const auto wrong = [&](std::string expected, std::string found) {
    return damaged({.file = file,
                    .place = fmt::format("pack '{}'", pack.name),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = "plan again"});
  };
  if (places.assets.size() != pack.assets.size())
    return wrong("a place for each asset or for none", fmt::to_string(places.assets.size()));
  if (places.data_offset_bytes == 0 || places.data_offset_bytes % format::kPageBytes != 0 ||
      places.data_offset_bytes > kMostDataOffsetBytes)
    return wrong("data from a multiple of 4096 bytes on", fmt::to_string(places.data_offset_bytes));
  if (places.block_raw_bytes.size() > INT32_MAX)
    return wrong("at most 2147483647 blocks", fmt::to_string(places.block_raw_bytes.size()));
  for (const uint32_t raw_bytes : places.block_raw_bytes)
    if (raw_bytes == 0 || raw_bytes > layout.block_bytes)
      return wrong(fmt::format("blocks of 1 to {} bytes", layout.block_bytes),
                   fmt::to_string(raw_bytes));
  for (size_t i = 0; i < pack.assets.size(); ++i)
    if (auto fault = fault_of_place(pack.assets[i], places.assets[i], places, layout.block_bytes);
        !fault.empty())
      return damaged({.file = file,
                      .place = fmt::format("pack '{}', asset '{}'", pack.name, pack.assets[i].path),
                      .expected = "a place that the pack has",
                      .found = std::move(fault),
                      .advice = "plan again"});
  return check_overlaps(pack, layout.block_bytes, file);
}

Result<void> check_head(const Layout& layout, const std::string& file) {
  using namespace format;
  const auto wrong = [&](std::string expected, std::string found) {
    return damaged({.file = file,
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = "plan again"});
  };
  if (!std::has_single_bit(layout.block_bytes) || layout.block_bytes < kMinBlockBytes ||
      layout.block_bytes > kMaxBlockBytes)
    return wrong("blocks of 64 KiB to 16 MiB, a power of two", fmt::to_string(layout.block_bytes));
  for (const std::vector<uint32_t>& set : layout.scenario_sets) {
    const bool rising = std::ranges::is_sorted(set, std::less_equal<>());
    if (!rising || (!set.empty() && set.back() >= layout.scenarios.size()))
      return wrong("scenario sets of rising numbers of scenarios", "another set");
  }
  for (const Source& source : layout.sources) {
    const bool has_nul = std::string_view(source.path).contains('\0');
    if (!has_nul && is_valid_utf8(source.path)) continue;
    return damaged({.file = file,
                    .place = fmt::format("source '{}'", source.path),
                    .expected = "a path in UTF-8",
                    .found = has_nul ? "one that holds a NUL" : "other bytes",
                    .advice = "rename it, then plan again"});
  }
  std::unordered_set<std::string_view> names;
  for (const LaidScenario& scenario : layout.scenarios) {
    if (!is_plain_name(scenario.name))
      return damaged({.file = file,
                      .place = fmt::format("scenario '{}'", scenario.name),
                      .expected = "a name in UTF-8 without control characters",
                      .found = "another",
                      .advice = "record or import it under another name"});
    if (!names.insert(scenario.name).second)
      return wrong("scenarios of different names", fmt::format("'{}' again", scenario.name));
  }
  names.clear();
  std::deque<std::string> folded_names;
  for (const LaidPack& pack : layout.packs) {
    // Some systems treat names that differ only in case as the same file.
    const std::string& name = folded_names.emplace_back(fold_case(pack.name));
    const bool is_file_name = check_asset_path(pack.name) == PathFault::none &&
                              pack.name.find('/') == std::string::npos && name != "catalog";
    if (!is_file_name || !names.insert(name).second)
      return wrong("packs of different names that files can have, in whichever case",
                   fmt::format("'{}'", pack.name));
    if (pack.assets.size() > INT32_MAX)
      return wrong("at most 2147483647 assets", fmt::to_string(pack.assets.size()));
  }
  return {};
}

}  // namespace

std::string_view to_string(PackKind kind) {
  switch (kind) {
    case PackKind::common:
      return "common";
    case PackKind::sub:
      return "sub";
    case PackKind::cold:
      break;
  }
  return "cold";
}

std::string_view to_string(PackRole role) {
  switch (role) {
    case PackRole::home:
      return "home";
    case PackRole::overlay:
      return "overlay";
    case PackRole::generation:
      break;
  }
  return "generation";
}

uint64_t LaidPack::size_bytes() const {
  uint64_t bytes = 0;
  for (const LaidAsset& asset : assets) bytes += asset.size_bytes;
  return bytes;
}

Result<void> check_layout(const Layout& layout, const std::string& file) {
  SKL_TRY_DO(check_head(layout, file));
  for (const LaidPack& pack : layout.packs) {
    for (const LaidAsset& asset : pack.assets) SKL_TRY_DO(check_asset(layout, pack, asset, file));
    SKL_TRY_DO(check_unique_paths(layout, pack, file));
    if (pack.places) SKL_TRY_DO(check_places(layout, pack, file));
  }
  return CopyCheck(layout, file).run();
}

std::string pack_name_of(std::string_view scenario) {
  std::string name(scenario);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("/\\:*?\"<>|\x7F").contains(c))
      c = '-';
  if (name.size() > kMaxPackNameBytes) name.resize(begin_of_character(name, kMaxPackNameBytes));
  if (name.empty() || name == "." || name == "..") name = "scenario";
  return name;
}

}  // namespace seekless

#include "packer/layout/layout.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include <fmt/format.h>

#include "runtime/asset_path.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

// File systems take 255 bytes; the ending and a number that tells names apart go behind.
constexpr size_t kMaxPackNameBytes = 180;

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
  const bool is_zip = layout.sources[asset.source].kind == SourceKind::zip;
  if (is_zip != (asset.entry != kWholeSource))
    return wrong("an entry number for archives alone", is_zip ? "none" : "one");
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
  for (const Source& source : layout.sources)
    if (!is_valid_utf8(source.path))
      return damaged({.file = file,
                      .place = fmt::format("source '{}'", source.path),
                      .expected = "a path in UTF-8",
                      .found = "other bytes",
                      .advice = "rename it, then plan again"});
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
  for (const LaidPack& pack : layout.packs) {
    const bool is_file_name = check_asset_path(pack.name) == PathFault::none &&
                              pack.name.find('/') == std::string::npos && pack.name != "catalog";
    if (!is_file_name || !names.insert(pack.name).second)
      return wrong("packs of different names that files can have", fmt::format("'{}'", pack.name));
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

uint64_t LaidPack::size_bytes() const {
  uint64_t bytes = 0;
  for (const LaidAsset& asset : assets) bytes += asset.size_bytes;
  return bytes;
}

Result<void> check_layout(const Layout& layout, const std::string& file) {
  if (auto checked = check_head(layout, file); !checked) return checked;
  for (const LaidPack& pack : layout.packs) {
    for (const LaidAsset& asset : pack.assets)
      if (auto checked = check_asset(layout, pack, asset, file); !checked) return checked;
    if (auto checked = check_unique_paths(layout, pack, file); !checked) return checked;
  }
  return {};
}

std::string pack_name_of(std::string_view scenario) {
  std::string name(scenario);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("/\\:*?\"<>|\x7F").contains(c))
      c = '-';
  if (name.size() > kMaxPackNameBytes) {
    size_t end = kMaxPackNameBytes;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
      --end;  // within UTF-8
    name.resize(end);
  }
  if (name.empty() || name == "." || name == "..") name = "scenario";
  return name;
}

}  // namespace seekless

// Defines a layout: the pack of each asset, and its place in that pack. `plan` makes it from a
// profile and content; it is written to disk as JSON (schemas/layout.schema.json), and `pack`
// carries it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/drive/load_cost.h"
#include "runtime/pack_format.h"

namespace seekless {

enum class PackKind : uint8_t { common, sub, cold };

std::string_view to_string(PackKind kind);

inline constexpr uint32_t kDefaultAlignmentBytes =
    64;  // a cache line; GPU copies usually need this much
inline constexpr uint32_t kMaxAlignmentBytes = 4096;
inline constexpr uint32_t kDefaultLayoutBlockBytes = 2 * 1024 * 1024;

// Used if no drive is known: the bytes that a 7200 rpm disk reads in the time of a short seek and
// half a turn.
inline constexpr uint64_t kDefaultReadThroughBytes = 650'000;

// Describes an asset in a pack. If it is in several packs, each copy serves other scenarios.
struct LaidAsset {
  PooledPath path;
  uint64_t size_bytes = 0;
  uint32_t source = 0;            // index in Layout::sources
  uint32_t entry = kWholeSource;  // index in the archive's central directory
  uint32_t crc32 = 0;             // checksum of an archive's entry
  uint32_t scenario_set = 0;  // index in Layout::scenario_sets: the scenarios that read this copy
  uint32_t alignment_bytes = kDefaultAlignmentBytes;

  bool operator==(const LaidAsset&) const = default;
};

// `asset` must belong to content from the layout's sources.
inline LaidAsset lay_asset(const Asset& asset, uint32_t scenario_set,
                           uint32_t alignment_bytes = kDefaultAlignmentBytes) {
  return {.path = asset.path,
          .size_bytes = asset.place.size_bytes,
          .source = asset.place.source,
          .entry = asset.place.entry,
          .crc32 = asset.place.crc32,
          .scenario_set = scenario_set,
          .alignment_bytes = alignment_bytes};
}

struct PlaceInPack {
  uint32_t block = 0;         // the block in which the asset starts
  uint32_t offset_bytes = 0;  // offset in the raw block

  auto operator<=>(const PlaceInPack&) const = default;
};

// Holds the place of everything in a pack, if the layout decides that and not the packer.
struct LaidPlaces {
  uint64_t data_offset_bytes = 0;  // where the first block begins in the file; a multiple of 4096
  std::vector<uint32_t> block_raw_bytes;  // size of each block; gaps between assets are zeros
  std::vector<PlaceInPack> assets;        // indexed by asset; assets of equal content share a place

  bool operator==(const LaidPlaces&) const = default;
};

// Tells the purpose of a pack, in a set whose packs stay from release to release.
enum class PackRole : uint8_t {
  home,        // made by the planner
  overlay,     // newer content that scenarios read; it replaces content of the homes
  generation,  // newer content that no scenario reads
};

std::string_view to_string(PackRole role);

// Describes an asset in a pack's file that is now stored elsewhere, or deleted. Nothing reads it.
struct DeadAsset {
  PooledPath path;
  uint64_t size_bytes = 0;
  PlaceInPack place;
  // The scenarios that read it here. If the pack is remade, it comes back for them.
  uint32_t scenario_set = 0;
  uint32_t alignment_bytes = kDefaultAlignmentBytes;
  format::ContentHash hash = {};

  bool operator==(const DeadAsset&) const = default;
};

struct LaidPack {
  std::string name;  // file name without ".skl"
  PackKind kind = PackKind::common;
  std::vector<LaidAsset> assets;          // in the order they will lie
  std::optional<LaidPlaces> places = {};  // if empty, the packer places the assets in their order
  PackRole role = PackRole::home;
  // The id of a pack that stays as an earlier build left it. If empty, the packer writes the pack.
  // It isn't in the layout's file, because a pack made from the file alone has holes instead of
  // dead assets.
  std::optional<uint64_t> pack_id = {};
  std::vector<DeadAsset> dead = {};  // only with a pack_id

  uint64_t size_bytes() const;  // sum over all assets

  bool operator==(const LaidPack&) const = default;
};

struct LaidScenario {
  std::string name;
  uint32_t runs = 0;
  std::optional<PredictedLoad> predicted = {};

  bool operator==(const LaidScenario&) const = default;
};

// Holds the planner's expectations of its layout, and the reasons for its decisions.
struct Prediction {
  std::string drive;
  uint64_t copied_bytes = 0;
  double seconds = 0;            // same meaning as CopyPrice::seconds
  std::vector<CopyPrice> curve;  // from no copies to copies of everything
  std::string reasons;           // a paragraph of text

  bool operator==(const Prediction&) const = default;
};

struct Layout {
  PathPool paths = {};  // paths of sources and assets
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  // Gaps up to this size are cheaper to read than to skip.
  uint64_t read_through_bytes = kDefaultReadThroughBytes;
  std::vector<Source> sources;
  std::vector<LaidScenario> scenarios;
  std::vector<std::vector<uint32_t>> scenario_sets;  // sorted indices; the first is empty
  std::vector<LaidPack> packs;
  std::optional<Prediction> prediction = {};

  bool operator==(const Layout&) const = default;
};

// Checks everything that later stages rely on: ranges of all numbers, valid and unique names, and
// paths that don't exclude each other. Messages call the layout `file`.
Result<void> check_layout(const Layout& layout, const std::string& file);

// "-" means standard input.
Result<Layout> read_layout(const std::string& path);
// Checks the layout and writes it. The same layout gives the same bytes.
Result<void> write_layout(const Layout& layout, const std::string& path);

// Returns the file name of a scenario's sub-pack. '/' and characters that file systems don't allow
// become '-'; a long name is cut.
std::string pack_name_of(std::string_view scenario);

}  // namespace seekless

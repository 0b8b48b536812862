// The decision: which asset goes to which pack, and at which place in it. Made by `plan` from a
// profile and content; written to disk as JSON (schemas/layout.schema.json); carried out by `pack`.
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
    64;  // a cache line, and GPU copies' usual demand
inline constexpr uint32_t kMaxAlignmentBytes = 4096;
inline constexpr uint32_t kDefaultLayoutBlockBytes = 2 * 1024 * 1024;

// Where no drive is known: what a 7200 rpm disk reads in the time of a short seek and half a turn.
inline constexpr uint64_t kDefaultReadThroughBytes = 650'000;

// An asset in a pack. It can be in several: then each copy serves other scenarios.
struct LaidAsset {
  PooledPath path;
  uint64_t size_bytes = 0;
  uint32_t source = 0;            // index in Layout::sources
  uint32_t entry = kWholeSource;  // index in the archive's central directory
  uint32_t crc32 = 0;             // of an archive's entry
  uint32_t scenario_set = 0;      // index in Layout::scenario_sets: who reads this copy
  uint32_t alignment_bytes = kDefaultAlignmentBytes;

  bool operator==(const LaidAsset&) const = default;
};

// Of content from the layout's sources.
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
  uint32_t block = 0;         // in which the asset starts
  uint32_t offset_bytes = 0;  // in the raw block

  auto operator<=>(const PlaceInPack&) const = default;
};

// Where everything in a pack lies, decided by the layout instead of the packer.
struct LaidPlaces {
  uint64_t data_offset_bytes = 0;         // of the first block in the file; a multiple of 4096
  std::vector<uint32_t> block_raw_bytes;  // of each block; where no asset lies, zeros will
  std::vector<PlaceInPack> assets;        // by asset; those of equal content have one place

  bool operator==(const LaidPlaces&) const = default;
};

// What a pack is in a set whose packs stay from release to release.
enum class PackRole : uint8_t {
  home,        // made by the planner
  overlay,     // what scenarios read of later releases: it lies here instead of in the homes
  generation,  // what no scenario reads of later releases
};

std::string_view to_string(PackRole role);

// What a pack's file holds, but the set has elsewhere now, or no more. Nothing reads it.
struct DeadAsset {
  PooledPath path;
  uint64_t size_bytes = 0;
  PlaceInPack place;
  uint32_t scenario_set = 0;  // who read it here: where the pack is made anew, it comes back
  uint32_t alignment_bytes = kDefaultAlignmentBytes;
  format::ContentHash hash = {};

  bool operator==(const DeadAsset&) const = default;
};

struct LaidPack {
  std::string name;  // of the file, without ".skl"
  PackKind kind = PackKind::common;
  std::vector<LaidAsset> assets;          // in the order they are to lie
  std::optional<LaidPlaces> places = {};  // none: the packer places them in that order
  PackRole role = PackRole::home;
  // Of a pack that stays as an earlier build left it; none: the packer writes it. Not in the
  // layout's file: a pack that is made from that alone has holes where dead assets would lie.
  std::optional<uint64_t> pack_id = {};
  std::vector<DeadAsset> dead = {};  // only with a pack_id

  uint64_t size_bytes() const;  // of all assets

  bool operator==(const LaidPack&) const = default;
};

struct LaidScenario {
  std::string name;
  uint32_t runs = 0;
  std::optional<PredictedLoad> predicted = {};

  bool operator==(const LaidScenario&) const = default;
};

// What the planner expects of its layout, and why it decided so.
struct Prediction {
  std::string drive;
  uint64_t copied_bytes = 0;
  double seconds = 0;            // as in CopyPrice
  std::vector<CopyPrice> curve;  // from no copies to copies of everything
  std::string reasons;           // a paragraph

  bool operator==(const Prediction&) const = default;
};

struct Layout {
  PathPool paths = {};  // of sources and assets
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  uint64_t read_through_bytes = kDefaultReadThroughBytes;  // gaps up to this are read, not skipped
  std::vector<Source> sources;
  std::vector<LaidScenario> scenarios;
  std::vector<std::vector<uint32_t>> scenario_sets;  // sorted indices; the first is empty
  std::vector<LaidPack> packs;
  std::optional<Prediction> prediction = {};

  bool operator==(const Layout&) const = default;
};

// Checks what the later stages rely on: ranges of all numbers, valid and unique names, paths that
// don't exclude each other. `file` is for messages.
Result<void> check_layout(const Layout& layout, const std::string& file);

// "-" is standard input.
Result<Layout> read_layout(const std::string& path);
// Deterministic: the same layout gives the same bytes. Checks it first.
Result<void> write_layout(const Layout& layout, const std::string& path);

// The file name of a scenario's sub-pack: '/' becomes '-', as does what file systems don't allow; a
// long one is cut.
std::string pack_name_of(std::string_view scenario);

}  // namespace seekless

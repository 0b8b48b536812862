// The decision: which asset goes to which pack, and at which place in it. Made by `plan` from a
// profile and content; written to disk as JSON (schemas/layout.schema.json); carried out by `pack`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/host/error.h"

namespace seekless {

enum class PackKind : uint8_t { common, sub, cold };

std::string_view to_string(PackKind kind);

inline constexpr uint32_t kDefaultAlignmentBytes =
    64;  // a cache line, and GPU copies' usual demand
inline constexpr uint32_t kMaxAlignmentBytes = 4096;
inline constexpr uint32_t kDefaultLayoutBlockBytes = 2 * 1024 * 1024;

// What costs about as much to read through as to seek over, on a 7200 rpm disk: 12 ms at 150 MB/s.
inline constexpr uint64_t kDefaultReadThroughBytes = 1'800'000;

// An asset in a pack. It can be in several: then each copy serves other scenarios.
struct LaidAsset {
  std::string path;
  uint64_t size_bytes = 0;
  uint32_t source = 0;            // index in Layout::sources
  uint32_t entry = kWholeSource;  // index in the archive's central directory
  uint32_t crc32 = 0;             // of an archive's entry
  uint32_t scenario_set = 0;      // index in Layout::scenario_sets: who reads this copy
  uint32_t alignment_bytes = kDefaultAlignmentBytes;

  bool operator==(const LaidAsset&) const = default;
};

struct LaidPack {
  std::string name;  // of the file, without ".skl"
  PackKind kind = PackKind::common;
  std::vector<LaidAsset> assets;  // in the order they are to lie

  bool operator==(const LaidPack&) const = default;
};

struct LaidScenario {
  std::string name;
  uint32_t runs = 0;

  bool operator==(const LaidScenario&) const = default;
};

struct Layout {
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  uint64_t read_through_bytes = kDefaultReadThroughBytes;  // gaps up to this are read, not skipped
  std::vector<Source> sources;
  std::vector<LaidScenario> scenarios;
  std::vector<std::vector<uint32_t>> scenario_sets;  // sorted indices; the first is empty
  std::vector<LaidPack> packs;

  bool operator==(const Layout&) const = default;
};

// Checks what the stages behind rely on: ranges of all numbers, valid and unique names, paths that
// don't exclude each other. `file` is for messages.
Result<void> check_layout(const Layout& layout, const std::string& file);

Result<Layout> read_layout(const std::string& path);
// Deterministic: the same layout gives the same bytes. Checks it first.
Result<void> write_layout(const Layout& layout, const std::string& path);

// The file name of a scenario's sub-pack: '/' becomes '-', as does what file systems don't allow; a
// long one is cut.
std::string pack_name_of(std::string_view scenario);

}  // namespace seekless

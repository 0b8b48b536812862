// Plans what is fetched in which order: from the originals in the order of the disk, or from the
// shadow in the scenario's order. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "packer/drive/sweep.h"
#include "packer/foresee/learned.h"

namespace seekless {

inline constexpr uint32_t kShadowFile = UINT32_MAX;

// A chunk is fetched in one go; in a shadow, it is checked against its hash.
struct FetchChunk {
  uint32_t file = 0;  // a file's number, or kShadowFile
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  uint64_t hash = 0;

  bool operator==(const FetchChunk&) const = default;
};

struct FetchPlan {
  struct At {
    uint32_t chunk = 0;
    uint64_t shadow_bytes = 0;  // place of the page's copy in the shadow; 0 for originals
  };
  std::vector<FetchChunk> chunks;
  std::unordered_map<PageKey, At> pages;
  std::vector<uint32_t> files;  // files that the pages belong to, each once
  std::vector<uint32_t> names;  // numbers in Learned::names
  bool is_shadow = false;
};

// Returns ranges sorted by file and offset, none of which touch. `pages` may have any order and
// repetitions.
std::vector<WantedRange> ranges_of_pages(std::vector<PageKey> pages);

// Plans originals sorted by device and place, then those without places by number and path. Gaps of
// up to `gap_bytes` are read through. A file without places is left out unless at least
// `least_unplaced_bytes` of it are wanted: reading many small files out of disk order takes as long
// as the game itself takes.
FetchPlan plan_originals(const Learned& learned, std::vector<PageKey> pages, uint64_t gap_bytes,
                         uint64_t least_unplaced_bytes = 0);
FetchPlan plan_shadow(const ShadowSection& section);

// Plans the core, or a scenario's own pages: from the shadow, if it has them.
FetchPlan plan_for(const Learned& learned, uint32_t scenario, bool use_shadow, uint64_t gap_bytes,
                   uint64_t least_unplaced_bytes = 0);

}  // namespace seekless

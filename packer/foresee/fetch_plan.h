// What is to be fetched, in which order: from the originals as the disk passes them, or from the
// shadow as the scenario reads. Pure.
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

// Fetched in one go; of a shadow, it is checked against its hash.
struct FetchChunk {
  uint32_t file = 0;  // or kShadowFile
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  uint64_t hash = 0;

  bool operator==(const FetchChunk&) const = default;
};

struct FetchPlan {
  struct At {
    uint32_t chunk = 0;
    uint64_t shadow_bytes = 0;  // where the page's copy lies; of originals 0
  };
  std::vector<FetchChunk> chunks;
  std::unordered_map<PageKey, At> pages;
  std::vector<uint32_t> files;  // that the pages are of, each once
  bool is_shadow = false;
};

// By file and offset; none touch. Pages in any order, also several times.
std::vector<WantedRange> ranges_of_pages(std::vector<PageKey> pages);

// By device and place. Gaps of up to `gap_bytes` are read through.
FetchPlan plan_originals(const Learned& learned, std::vector<PageKey> pages, uint64_t gap_bytes);
FetchPlan plan_shadow(const ShadowSection& section);

// Of the core, or of a scenario's own pages: from the shadow, if it has them.
FetchPlan plan_for(const Learned& learned, uint32_t scenario, bool use_shadow, uint64_t gap_bytes);

}  // namespace seekless

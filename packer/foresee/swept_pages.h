// Chooses the pages that a sweep fetches: pages that the scenarios are likely to read, and pages
// between two of them, if different runs have read different ones there. A sweep of copies, which
// lie side by side, also reads rare pages if that takes less time than occasional jumps to them.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

enum class SweptFrom : uint8_t { kOriginals, kCopies };

// Returns the pages that a read touches.
std::vector<PageKey> pages_of_read(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes);

// Returns the pages that all starts share, in the order of the start that was run most often.
std::vector<PageKey> swept_core(const Learned& learned, SweptFrom from);

// Returns a scenario's own pages, in its order: without those of swept_core().
std::vector<PageKey> swept_own(const LearnedScenario& scenario, std::span<const PageKey> core,
                               SweptFrom from);

}  // namespace seekless

// What a sweep brings of scenarios: the pages that they are likely to read, and what lies between
// two of them where earlier runs read now this and now that. From copies, which lie side by side,
// also rare pages, as far as sweeping them takes less time than jumping to them now and then. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

enum class SweptFrom : uint8_t { kOriginals, kCopies };

// What all starts share, in the order of the one that was run most often.
std::vector<PageKey> swept_core(const Learned& learned, SweptFrom from);

// A scenario's own, in its order: without those of swept_core().
std::vector<PageKey> swept_own(const LearnedScenario& scenario, std::span<const PageKey> core,
                               SweptFrom from);

}  // namespace seekless

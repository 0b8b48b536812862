#include <algorithm>

#include <sys/resource.h>

#include "packer/serve/internal/descriptor_budget.h"

namespace seekless {

DescriptorBudget descriptor_budget() {
  // With a hard limit of 256, 200 are left to the game. Holding more folders than this gains
  // nothing.
  constexpr rlim_t kMostWatchedFolders = 1 << 16;
  constexpr rlim_t kMostOpenFiles = 64;
  rlimit limit = {.rlim_cur = 0, .rlim_max = 0};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return {.folders = std::clamp<rlim_t>(limit.rlim_max / 8, 4, kMostWatchedFolders),
          .files = std::clamp<rlim_t>(limit.rlim_max / 16, 2, kMostOpenFiles)};
}

}  // namespace seekless

// Sweeps a scenario as a loading screen would, checks every asset against its hash, and says what
// came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <seekless.hpp>

namespace seekless {

struct Swept {
  uint64_t assets = 0;
  uint64_t bytes = 0;
  uint64_t blocked = 0;  // answers that nothing had come in 100 ms
  double seconds = 0;
  std::vector<std::string> arrived;   // paths, whole and right
  std::vector<std::string> wrong;     // paths, whose bytes aren't what was packed
  std::vector<std::string> failures;  // the reader's errors, a line each
};

// `check`: hash what comes, and keep names. Without, nothing is done with it.
skl::Result<Swept> sweep_scenario(skl::Context& context, const std::string& scenario, bool check);

}  // namespace seekless

// Sweeps a scenario as a loading screen would, checks every asset against its hash, and returns
// what was delivered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <seekless.hpp>

namespace seekless {

struct Swept {
  uint64_t assets = 0;
  uint64_t bytes = 0;
  uint64_t blocked = 0;  // answers that nothing had arrived within 100 ms
  double seconds = 0;
  std::vector<std::string> arrived;   // paths of assets with the right bytes
  std::vector<std::string> wrong;     // paths of assets with other bytes than were packed
  std::vector<std::string> failures;  // the reader's errors, a line each
};

// With `check`, hashes delivered assets and keeps their names; otherwise only counts them.
skl::Result<Swept> sweep_scenario(skl::Context& context, const std::string& scenario, bool check);

}  // namespace seekless

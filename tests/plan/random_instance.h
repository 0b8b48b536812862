// Makes small random shared contents, to compare the planner's search with an exhaustive one.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "packer/plan/internal/shared_content.h"
#include "tests/plan/read_costs.h"

namespace seekless::test {

// Up to six atoms of 20 kB to 20 MB, and up to four scenarios with random reads.
struct RandomInstance {
  SharedContent content;
  uint64_t content_bytes = 0;

  explicit RandomInstance(uint64_t seed) {
    std::mt19937_64 random(seed);
    // The distributions of standard libraries differ.
    const auto uniform = [&](double from, double to) {
      return from + (to - from) * static_cast<double>(random() >> 11) / 9007199254740992.0;
    };
    content.costs = kNimbleDisk;
    const uint64_t scenarios = 2 + random() % 3;
    for (uint64_t i = 0; i < scenarios; ++i) {
      content.weights.push_back(random() % 3 == 0 ? uniform(0.2, 5) : 1);
      content.has_own.push_back(random() % 4 != 0);
      if (content.has_own.back() != 0) content_bytes += static_cast<uint64_t>(uniform(1e6, 3e7));
    }
    for (uint64_t atom = 1 + random() % 6; atom > 0; --atom) {
      std::vector<uint32_t> readers;
      while (readers.size() < 2) {
        readers.clear();
        for (uint32_t i = 0; i < scenarios; ++i)
          if (random() % 2 == 0) readers.push_back(i);
      }
      const auto bytes = static_cast<uint64_t>(std::exp(uniform(std::log(2e4), std::log(2e7))));
      content_bytes += bytes;
      content.add_atom(bytes, readers, {.assets = static_cast<uint32_t>(1 + random() % 400)});
    }
  }
};

}  // namespace seekless::test

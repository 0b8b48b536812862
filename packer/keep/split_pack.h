// A pack that is too large, cut into several: clients that make one file after the other need no
// more room than the largest of them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/layout/layout.h"

namespace seekless {

// Names of packs that are taken, whatever their case.
class PackNames {
 public:
  void take(std::string_view name) { names_.emplace_back(name); }
  // `base`, or it with the lowest number from 2 on that makes it free: taken from then on.
  std::string take_free(const std::string& base);

 private:
  std::vector<std::string> names_;
};

// `pack`, which has no places, in its order in parts. None has more content than `most_bytes`,
// except where one asset has. The first keeps the name, which is taken; the others have it with
// numbers.
std::vector<LaidPack> split_pack(LaidPack pack, uint64_t most_bytes, PackNames& names);

}  // namespace seekless

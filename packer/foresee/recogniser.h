// Which scenario is being loaded, told by what the game reads beyond what all of them share. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

class Recogniser {
 public:
  explicit Recogniser(const Learned& learned);

  // The game asks for this. Returns the scenario once it is plain which one it is; each one once.
  std::optional<uint32_t> note_read(PageKey first_page);
  // Whether most of what was read lately was known at all: if not, foreseeing does harm.
  bool agrees() const;

 private:
  bool is_ahead(uint32_t best) const;

  std::unordered_map<PageKey, std::vector<uint32_t>> scenarios_;  // of pages beyond the core
  PageKeys core_;
  std::vector<uint32_t> hits_;  // by scenario
  std::vector<bool> is_start_;
  std::vector<bool> is_told_;
  bool has_start_ = false;        // one of them was told
  uint32_t beyond_core_ = 0;      // reads
  uint32_t recent_ = UINT32_MAX;  // one bit a read: whether it was known
};

}  // namespace seekless

// Numbers sets of scenarios, as layouts do, and combines them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "packer/layout/layout.h"

namespace seekless {

class ReaderSets {
 public:
  explicit ReaderSets(std::vector<std::vector<uint32_t>> sets);

  uint32_t none() const { return none_; }
  uint32_t single(uint32_t scenario) { return number_of({scenario}); }
  bool is_empty(uint32_t set) const { return sets_[set].empty(); }
  // Returns the set's scenarios, ascending.
  std::span<const uint32_t> readers(uint32_t set) const { return sets_[set]; }
  uint32_t both(uint32_t a, uint32_t b);
  uint32_t without(uint32_t a, uint32_t b);

  // Returns the sets that the packs use, in their order, after the empty set. Renumbers the sets in
  // the packs.
  std::vector<std::vector<uint32_t>> take_used(std::vector<LaidPack>& packs);

 private:
  uint32_t number_of(std::vector<uint32_t> set);

  std::vector<std::vector<uint32_t>> sets_;
  std::map<std::vector<uint32_t>, uint32_t> numbers_;
  uint32_t none_ = 0;
};

}  // namespace seekless

// Recognises which scenario is being loaded, from reads of pages that not all scenarios share.
// Pure.
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

  // Notes a read of the game. Returns the scenario once it is clear; each one only once.
  std::optional<uint32_t> note_read(PageKey first_page);
  // Returns true if most recent reads were known; otherwise prefetching does harm.
  bool agrees() const;
  // Returns true if every load reads the page.
  bool is_core(PageKey page) const { return core_.contains(page); }

 private:
  bool is_ahead(uint32_t best) const;

  // The scenarios of each page beyond the core.
  std::unordered_map<PageKey, std::vector<uint32_t>> scenarios_;
  PageKeys core_;
  std::vector<uint32_t> hits_;  // indexed by scenario
  std::vector<bool> is_start_;
  std::vector<bool> is_told_;
  bool has_start_ = false;        // a start was recognised
  uint32_t beyond_core_ = 0;      // reads beyond the core
  uint32_t recent_ = UINT32_MAX;  // one bit for each recent read: 1 if some scenario has it
};

}  // namespace seekless

// What users lay down about single assets, whatever the recordings say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"

namespace seekless {

// What is set holds for every asset whose path matches; of several rules that match and set the
// same thing, the last one counts.
struct PlanRule {
  std::string glob;
  std::optional<std::string> pack;          // its only place, of this name
  std::optional<int32_t> order;             // within its pack lower ones come first; 0 otherwise
  std::optional<uint32_t> alignment_bytes;  // a power of two up to kMaxAlignmentBytes
  std::optional<bool> copies;               // false: never in several packs
  std::optional<bool> excluded;             // true: in no pack at all
};

struct AssetRules {
  std::string pack;  // empty: where the planner likes
  int32_t order = 0;
  uint32_t alignment_bytes = kDefaultAlignmentBytes;
  bool copies = true;
  bool excluded = false;
};

// Whether a rule can be kept: values in their ranges, a pack's name that a file can have, and
// nothing said of an asset that is excluded. `place` is for the error.
Result<void> check_rule(const PlanRule& rule, const std::string& file, const std::string& place);

// Of several rules together: names of packs that differ only by case.
Result<void> check_pack_names(std::span<const PlanRule> rules, const std::string& file);

// `matched` (as long as `rules`) counts the assets that each rule matches.
AssetRules rules_for(std::span<const PlanRule> rules, std::string_view path,
                     std::span<uint64_t> matched);

}  // namespace seekless

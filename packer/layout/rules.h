// Defines rules, by which users decide about single assets, whatever the recordings show.
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

// Each member that is set applies to every asset whose path matches. If several matching rules set
// the same member, the last one wins.
struct PlanRule {
  std::string glob;
  std::optional<std::string> pack;  // name of the only pack that holds the asset
  std::optional<int32_t> order;     // within a pack, lower numbers come first; the default is 0
  std::optional<uint32_t> alignment_bytes;  // a power of two up to kMaxAlignmentBytes
  std::optional<bool> copies;               // false: never in several packs
  std::optional<bool> excluded;             // true: in no pack
};

struct AssetRules {
  std::string pack;  // if empty, the planner decides
  int32_t order = 0;
  uint32_t alignment_bytes = kDefaultAlignmentBytes;
  bool copies = true;
  bool excluded = false;
};

// Checks that a rule can be kept: its values are in range, a file can have the pack's name, and an
// excluded asset has no other settings. `place` is for the error.
Result<void> check_rule(const PlanRule& rule, const std::string& file, const std::string& place);

// Checks that no names of packs differ only in case.
Result<void> check_pack_names(std::span<const PlanRule> rules, const std::string& file);

// Returns what the rules say about `path`. `matched` has the length of `rules`, and counts the
// assets that each rule matches.
AssetRules rules_for(std::span<const PlanRule> rules, std::string_view path,
                     std::span<uint64_t> matched);

}  // namespace seekless

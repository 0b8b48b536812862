// Defines drafts. A draft is a layout before its assets have names and places in sources: it lists
// assets by number, in packs, in order. It is made from needs, and judged by what runs would cost
// on it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/layout/rules.h"
#include "packer/plan/arrange.h"
#include "packer/plan/internal/read_costs.h"
#include "packer/plan/needs.h"

namespace seekless {

inline constexpr uint32_t kNoScenario = UINT32_MAX;

struct DraftAsset {
  uint32_t asset = 0;  // index in the content
  uint32_t set = 0;    // index in Draft::sets, for the scenarios that read this copy

  bool operator==(const DraftAsset&) const = default;
};

struct DraftPack {
  PackKind kind = PackKind::common;
  uint32_t scenario = kNoScenario;  // the scenario whose sub-pack this is
  std::string pinned_name;          // set if only rules fill this pack
  std::vector<DraftAsset> assets;
};

struct Draft {
  std::vector<std::vector<uint32_t>> sets;  // sets of scenarios; the first one is empty
  std::vector<DraftPack> packs;  // common, subs, pinned ones, cold; none of them is empty
  SharedContent shared;
  Arrangement arrangement;
};

struct DraftInput {
  const Content& content;
  const std::vector<AssetRules>& rules;  // indexed by asset
  std::vector<double> weights;           // indexed by scenario
  // Indexed by scenario: its sub-pack's name, which rules may pin assets to.
  std::vector<std::string> sub_names;
  DriveProfile drive;
  ReadCosts costs;  // costs on `drive`
  ArrangeOptions arrange;
  // Drafts of one plan share this.
  std::shared_ptr<ArrangedBefore> arranged_before = std::make_shared<ArrangedBefore>();
  // Indexed by asset; if empty, updates rewrite nothing.
  std::span<const double> rewritten_by_copy = {};
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool is_trial = false;  // takes the usual method's orders without judging methods
  size_t threads = 1;
};

Draft make_draft(const DraftInput& input, const Needs& needs);

}  // namespace seekless

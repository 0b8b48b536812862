// A layout before it has names and places in sources: assets by number, in packs, in order. Made
// from needs; judged by what runs would cost on it. Pure.
#pragma once

#include <cstdint>
#include <map>
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
  uint32_t asset = 0;  // of the content
  uint32_t set = 0;    // in Draft::sets: who reads this copy

  bool operator==(const DraftAsset&) const = default;
};

struct DraftPack {
  PackKind kind = PackKind::common;
  uint32_t scenario = kNoScenario;  // whose sub-pack it is
  std::string pinned_name;          // of a pack that only rules fill
  std::vector<DraftAsset> assets;
};

struct Draft {
  std::vector<std::vector<uint32_t>> sets;  // of scenarios; the empty one first
  std::vector<DraftPack> packs;             // none empty: common, subs, pinned ones, cold
  SharedContent shared;
  Arrangement arrangement;
};

struct DraftInput {
  const Content& content;
  const std::vector<AssetRules>& rules;  // by asset
  std::vector<double> weights;           // by scenario
  std::vector<std::string> sub_names;    // by scenario: of its sub-pack, for rules that pin to it
  DriveProfile drive;
  ReadCosts costs;  // of `drive`
  ArrangeOptions arrange;
  std::span<const double> rewritten_by_copy = {};  // by asset; empty: nothing is
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool is_trial = false;  // orders by the usual method, unjudged
  size_t threads = 1;
};

// By number of a group of assets that lie side by side: the order of its assets, which the group
// has by number. Only groups of several are ordered.
using GroupOrders = std::map<uint32_t, std::vector<uint32_t>>;

// What `known` doesn't hold, or not as an order of the group's assets, is found out.
Draft make_draft(const DraftInput& input, const Needs& needs, const GroupOrders& known = {});
// A share of them, `number` (from 0) of `count`: about as many reads in each.
GroupOrders order_share(const DraftInput& input, const Needs& needs, uint32_t number,
                        uint32_t count);

}  // namespace seekless

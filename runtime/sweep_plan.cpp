#include "runtime/sweep_plan.h"

#include <string>

namespace seekless::runtime {
namespace {

bool is_same_place(const PlacedAsset& a, const PlacedAsset& b) {
  const format::Asset& of_a = a.record();
  const format::Asset& of_b = b.record();
  return a.pack == b.pack && of_a.size_bytes > 0 && of_a.block == of_b.block &&
         offset_in_block(of_a) == offset_in_block(of_b) && of_a.size_bytes == of_b.size_bytes;
}

}  // namespace

Result<SweepPlan> SweepPlan::make(const PackSet& set, const format::Scenario* scenario,
                                  const Memory& memory) {
  SweepPlan plan(memory);
  plan.set = &set;
  if (scenario != nullptr) {
    if (auto gathered = plan.gather(*scenario); !gathered) return std::unexpected(gathered.error());
  } else {
    const auto pack = set.pack(0);
    if (!pack) return std::unexpected(pack.error());
    plan.gather(**pack);
  }
  if (auto grouped = plan.group_needs(); !grouped) return std::unexpected(grouped.error());
  for (const BlockPlace& place : plan.blocks)
    plan.total_bytes += stored_extent_bytes(place.record());
  return plan;
}

Result<void> SweepPlan::gather(const format::Scenario& scenario) {
  for (const format::Range& range : set->catalog()->ranges(scenario)) {
    const auto pack = set->pack(range.pack);
    if (!pack) return std::unexpected(pack.error());
    const uint64_t count = (*pack)->blocks().size();
    if (range.first_block > count || range.block_count > count - range.first_block)
      return damaged("the catalog of " + (*pack)->file().name() + ": expected ranges within " +
                     std::to_string(count) + " blocks, found block " +
                     std::to_string(range.first_block) + "; pack it again");
    for (uint32_t i = 0; i < range.block_count; ++i)
      blocks.push_back({*pack, range.first_block + i});
  }
  for (const format::Place& place : set->catalog()->needs(scenario)) {
    const auto pack = set->pack(place.pack);
    if (!pack) return std::unexpected(pack.error());
    needs.push_back({*pack, place.asset});
  }
  return {};
}

void SweepPlan::gather(const Pack& pack) {
  for (uint32_t i = 0; i < pack.blocks().size(); ++i) blocks.push_back({&pack, i});
  for (uint32_t i = 0; i < pack.assets().size(); ++i) needs.push_back({&pack, i});
}

// Everything needed must arrive with the blocks, in their order.
Result<void> SweepPlan::group_needs() {
  size_t at = 0;  // in blocks, where the latest need begins
  for (size_t i = 0; i < needs.size(); ++i) {
    const PlacedAsset& need = needs[i];
    if (!groups.empty() && is_same_place(needs[groups.back().begin], need)) {
      groups.back().end = i + 1;
      continue;
    }
    const uint32_t count = need.pack->block_count(need.record());
    const auto is_at = [&](size_t place, uint32_t block) {
      return place < blocks.size() && blocks[place].pack == need.pack &&
             blocks[place].block == block;
    };
    const uint32_t first = need.record().block;
    uint32_t arrived = 0;
    if (count > 0) {
      while (at < blocks.size() && !is_at(at, first)) ++at;
      while (arrived < count && is_at(at + arrived, first + arrived)) ++arrived;
    }
    if (arrived < count)
      return damaged("the catalog of " + need.pack->file().name() +
                     ": expected a sweep that reads all that its scenario needs, found one that "
                     "doesn't; pack it again");
    groups.push_back({i, i + 1, at, count});
  }
  return {};
}

}  // namespace seekless::runtime

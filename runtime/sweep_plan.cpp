#include "runtime/sweep_plan.h"

#include <algorithm>
#include <string>

namespace seekless::runtime {
namespace {

bool is_same_place(const PlacedAsset& a, const PlacedAsset& b) {
  const format::Asset& of_a = a.record();
  const format::Asset& of_b = b.record();
  return a.pack == b.pack && of_a.size_bytes > 0 && of_a.block == of_b.block &&
         offset_in_block(of_a) == offset_in_block(of_b) && of_a.size_bytes == of_b.size_bytes;
}

// Removes and returns the records of this pack at the front of `rest`.
template <typename Record>
std::span<const Record> take_of_pack(std::span<const Record>& rest, uint32_t pack) {
  size_t count = 0;
  while (count < rest.size() && rest[count].pack == pack) ++count;
  const auto taken = rest.first(count);
  rest = rest.subspan(count);
  return taken;
}

uint64_t block_count(std::span<const format::Range> ranges) {
  uint64_t count = 0;
  for (const format::Range& range : ranges) count += range.block_count;
  return count;
}

}  // namespace

Result<SweepPlan> SweepPlan::make(const PackSet& set, const format::Scenario* scenario,
                                  const Memory& memory) {
  SweepPlan plan(memory);
  plan.set = &set;
  plan.scenario_ = scenario;
  if (scenario == nullptr) {
    const auto pack = set.pack(0);
    if (!pack) return std::unexpected(pack.error());
    plan.gather(**pack);
    if (auto grouped = plan.group_needs(0, 0); !grouped) return std::unexpected(grouped.error());
    return plan;
  }
  plan.list_parts();
  for (const Part& part : plan.parts_)
    if (auto held = set.hold(part.pack); !held) return std::unexpected(held.error());
  if (plan.parts_.empty()) return plan;
  if (auto added = plan.add_next(); !added) return std::unexpected(added.error());
  plan.expect_bytes(plan.blocks.empty() ? format::kDefaultBlockBytes
                                        : plan.blocks.front().pack->header().block_bytes);
  // The error of a pack that can't be added is reported when the sweep reaches it.
  while (plan.next_pack() && set.is_open(*plan.next_pack()))
    if (!plan.add_next()) break;
  return plan;
}

Result<SweepPlan> SweepPlan::make_whole(const PackSet& set, const format::Scenario* scenario,
                                        const Memory& memory) {
  auto plan = make(set, scenario, memory);
  while (plan && plan->next_pack())
    if (auto added = plan->add_next(); !added) return std::unexpected(added.error());
  return plan;
}

// A pack of which only empty assets are needed has needs but no ranges.
void SweepPlan::list_parts() {
  std::span<const format::Range> ranges = set->catalog()->ranges(*scenario_);
  std::span<const format::Need> rest = set->catalog()->needs(*scenario_);
  while (!ranges.empty() || !rest.empty()) {
    Part part;
    part.pack = std::min(ranges.empty() ? UINT32_MAX : ranges.front().pack,
                         rest.empty() ? UINT32_MAX : rest.front().pack);
    part.ranges = take_of_pack(ranges, part.pack);
    part.needs = take_of_pack(rest, part.pack);
    parts_.push_back(part);
  }
}

std::optional<uint32_t> SweepPlan::next_pack() const {
  if (next_part_ == parts_.size()) return std::nullopt;
  return parts_[next_part_].pack;
}

// Before a pack is open, only the number of its blocks is known.
void SweepPlan::expect_bytes(uint32_t block_bytes) {
  for (size_t i = next_part_; i < parts_.size(); ++i) {
    const uint64_t most = set->catalog()->packs()[parts_[i].pack].file_bytes;
    const uint64_t blocks_of_part = block_count(parts_[i].ranges);
    parts_[i].expected_bytes =
        blocks_of_part < most / block_bytes ? blocks_of_part * block_bytes : most;
    total_bytes += parts_[i].expected_bytes;
  }
}

Result<void> SweepPlan::add_next() {
  const Part& part = parts_[next_part_];
  const size_t first_block = blocks.size();
  const size_t first_need = needs.size();
  const size_t first_group = groups.size();
  const auto take_back = [&] {
    blocks.resize(first_block);
    needs.resize(first_need);
    groups.resize(first_group);
  };
  try {
    const auto pack = set->pack(part.pack);
    if (!pack) return std::unexpected(pack.error());
    auto gathered = gather(part, **pack);
    if (gathered) gathered = group_needs(first_need, first_block);
    if (!gathered) {
      take_back();
      return gathered;
    }
  } catch (...) {
    take_back();
    throw;
  }
  total_bytes -= part.expected_bytes;
  for (size_t i = first_block; i < blocks.size(); ++i)
    total_bytes += stored_extent_bytes(blocks[i].record());
  ++next_part_;
  return {};
}

size_t SweepPlan::drop_next() {
  const Part& part = parts_[next_part_++];
  total_bytes -= part.expected_bytes;
  return asset_count(part.needs);
}

bool SweepPlan::will_bring(uint32_t asset) const {
  if (next_part_ == parts_.size()) return false;
  const auto place = set->needed_place(asset, *scenario_);
  return place && place->pack >= parts_[next_part_].pack;
}

Result<void> SweepPlan::gather(const Part& part, const Pack& pack) {
  const uint64_t count = pack.blocks().size();
  for (const format::Range& range : part.ranges) {
    if (range.first_block > count || range.block_count > count - range.first_block)
      return damaged({"the catalog of ", pack.file().name(), ": expected ranges within ", count,
                      " blocks, found block ", range.first_block, "; pack it again"});
    for (uint32_t i = 0; i < range.block_count; ++i)
      blocks.push_back({&pack, range.first_block + i});
  }
  for (const format::Need& need : part.needs)
    for (uint32_t i = 0; i < need.asset_count; ++i) needs.push_back({&pack, need.first_asset + i});
  return {};
}

void SweepPlan::gather(const Pack& pack) {
  for (uint32_t i = 0; i < pack.blocks().size(); ++i) blocks.push_back({&pack, i});
  for (uint32_t i = 0; i < pack.assets().size(); ++i) needs.push_back({&pack, i});
  for (const BlockPlace& place : blocks) total_bytes += stored_extent_bytes(place.record());
}

// Checks that all needs arrive with the blocks, in their order.
Result<void> SweepPlan::group_needs(size_t first_need, size_t first_block) {
  size_t at = first_block;  // index of the block where the current need begins
  for (size_t i = first_need; i < needs.size(); ++i) {
    const PlacedAsset& need = needs[i];
    if (i > first_need && is_same_place(needs[groups.back().begin], need)) {
      groups.back().end = i + 1;
      continue;
    }
    const uint32_t count = need.pack->block_count(need.record());
    const auto is_at = [&](size_t place, uint32_t block) {
      return place < blocks.size() && blocks[place].block == block;
    };
    const uint32_t first = need.record().block;
    uint32_t arrived = 0;
    if (count > 0) {
      while (at < blocks.size() && !is_at(at, first)) ++at;
      while (arrived < count && is_at(at + arrived, first + arrived)) ++arrived;
    }
    if (arrived < count)
      return damaged({"the catalog of ", need.pack->file().name(),
                      ": expected a sweep that reads all that its scenario needs, found one that "
                      "doesn't; pack it again"});
    groups.push_back({i, i + 1, at, count});
  }
  return {};
}

}  // namespace seekless::runtime

#include "packer/plan/internal/shared_content.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace seekless {
namespace {

uint64_t ceil_div(uint64_t number, uint64_t by) {
  return (number + by - 1) / by;
}

}  // namespace

void SharedContent::add_atom(uint64_t bytes, std::span<const uint32_t> atom_readers,
                             const AtomTraits& traits) {
  if (first_slot.empty()) first_slot.push_back(0);
  atom_bytes.push_back(bytes);
  priced_bytes.push_back(bytes + traits.rewritten_bytes);
  atom_assets.push_back(std::max(1U, traits.assets));
  readers.insert(readers.end(), atom_readers.begin(), atom_readers.end());
  first_slot.push_back(static_cast<uint32_t>(readers.size()));
  may_copy.push_back(traits.may_copy);
}

ReadCosts SharedContent::costs_with_sharing() const {
  size_t sharing = 0;
  for (uint32_t atom = 0; atom < atom_count(); ++atom)
    if (atom_bytes[atom] < kLeastBlockBytes) sharing += readers_of(atom).size();
  ReadCosts with = costs;
  if (sharing > 0 && costs.jump_s > 0)
    with.jump_s += costs.read_s(kLeastBlockBytes) * static_cast<double>(sharing) /
                   static_cast<double>(readers.size());
  return with;
}

Arrangement plain_arrangement(const SharedContent& content) {
  Arrangement arrangement;
  arrangement.order.resize(content.atom_count());
  std::iota(arrangement.order.begin(), arrangement.order.end(), 0U);
  arrangement.is_own.assign(content.readers.size(), 0);
  return arrangement;
}

CopiedBytes copies_in(const SharedContent& content, const Arrangement& arrangement) {
  CopiedBytes copied;
  const uint8_t* own = arrangement.is_own.data();
  for (uint32_t atom = 0; atom < content.atom_count(); ++atom) {
    uint64_t copies = 0;
    for (uint32_t slot = content.first_slot[atom]; slot < content.first_slot[atom + 1]; ++slot)
      copies += own[slot];
    copied.bytes += content.atom_bytes[atom] * copies;
    copied.priced_bytes += content.priced_bytes[atom] * copies;
  }
  return copied;
}

uint64_t copied_bytes(const SharedContent& content, const Arrangement& arrangement) {
  return copies_in(content, arrangement).bytes;
}

ArrangementCost::ArrangementCost(const SharedContent& content)
    : content_(content),
      end_bytes_(content.scenario_count()),
      seconds_(content.scenario_count()),
      reads_common_(content.scenario_count()),
      has_copy_(content.scenario_count()) {}

std::span<const double> ArrangementCost::seconds_by_scenario(const Arrangement& arrangement) {
  std::ranges::fill(end_bytes_, 0);
  std::ranges::fill(seconds_, 0);
  std::ranges::fill(reads_common_, 0);
  has_copy_ = content_.has_own;
  block_ = {};
  uint64_t catalog_bytes = 0;  // bytes that copies add
  for (const uint32_t atom : arrangement.order) {
    const bool is_read = content_.atom_bytes[atom] > 0;  // empty assets need no read
    bool is_shared = false;
    for (uint32_t slot = content_.first_slot[atom]; slot < content_.first_slot[atom + 1]; ++slot) {
      const uint32_t scenario = content_.readers[slot];
      const bool is_own = arrangement.is_own[slot] != 0;
      if (is_read) (is_own ? has_copy_ : reads_common_)[scenario] = 1;
      is_shared = is_shared || !is_own;
      if (is_own) catalog_bytes += content_.catalog_bytes(atom);
    }
    if (is_shared && is_read) add_to_blocks(arrangement, atom);
  }
  read_block(arrangement);
  const double catalog_s = content_.costs.read_s(catalog_bytes);
  for (size_t scenario = 0; scenario < seconds_.size(); ++scenario)
    seconds_[scenario] +=
        catalog_s + content_.costs.jump_s * (reads_common_[scenario] + has_copy_[scenario]);
  return seconds_;
}

// Imitates the placing of assets: an atom's first assets fill up the current block; the rest begins
// a new one.
void ArrangementCost::add_to_blocks(const Arrangement& arrangement, uint32_t atom) {
  uint64_t bytes = content_.atom_bytes[atom];
  if (block_.bytes >= kLeastBlockBytes) read_block(arrangement);
  if (block_.bytes > 0) {
    const uint64_t asset_bytes = ceil_div(bytes, content_.atom_assets[atom]);
    const uint64_t missing_assets = ceil_div(kLeastBlockBytes - block_.bytes, asset_bytes);
    const uint64_t first = std::min(bytes, missing_assets * asset_bytes);
    if (block_.bytes + first <= content_.block_bytes) {
      block_.parts.push_back({atom, first});
      block_.bytes += first;
      bytes -= first;
    }
    if (bytes == 0) return;
    read_block(arrangement);
  }
  block_.parts.push_back({atom, bytes});
  block_.bytes = bytes;
}

// A scenario that needs a part of the block reads all of it. The next block begins after it.
void ArrangementCost::read_block(const Arrangement& arrangement) {
  const ReadCosts& costs = content_.costs;
  const uint64_t end = block_.begin + format::round_up(block_.bytes, format::kPageBytes);
  for (const auto& [atom, bytes] : block_.parts) {
    for (uint32_t slot = content_.first_slot[atom]; slot < content_.first_slot[atom + 1]; ++slot) {
      if (arrangement.is_own[slot] != 0) continue;
      const uint32_t scenario = content_.readers[slot];
      uint64_t& latest = end_bytes_[scenario];
      const bool is_read = latest == end;  // already read for an earlier atom
      if (!is_read) seconds_[scenario] += costs.gap_s(block_.begin - latest);
      const uint64_t read_bytes = is_read ? 0 : end - block_.begin;
      seconds_[scenario] +=
          (static_cast<double>(read_bytes) - static_cast<double>(bytes)) / costs.bytes_per_s;
      latest = end;
    }
  }
  block_.begin = end;
  block_.bytes = 0;
  block_.parts.clear();
}

double ArrangementCost::weighted_seconds(const Arrangement& arrangement, uint32_t scenarios) {
  seconds_by_scenario(arrangement);
  double sum = 0;
  for (uint32_t scenario = 0; scenario < scenarios; ++scenario)
    sum += content_.weights[scenario] * seconds_[scenario];
  return sum;
}

double ArrangeOptions::price(const SharedContent& content, ArrangementCost& cost,
                             const Arrangement& arrangement) const {
  const CopiedBytes copied = copies_in(content, arrangement);
  if (copied.bytes > budget_bytes) return std::numeric_limits<double>::infinity();
  return cost.weighted_seconds(arrangement) +
         price_s_per_byte() * static_cast<double>(copied.priced_bytes);
}

}  // namespace seekless

#include "packer/plan/shared_content.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace seekless {

void SharedContent::add_atom(uint64_t bytes, std::span<const uint32_t> atom_readers, bool copyable,
                             uint64_t rewritten_bytes) {
  if (first_slot.empty()) first_slot.push_back(0);
  atom_bytes.push_back(bytes);
  priced_bytes.push_back(bytes + rewritten_bytes);
  readers.insert(readers.end(), atom_readers.begin(), atom_readers.end());
  first_slot.push_back(static_cast<uint32_t>(readers.size()));
  may_copy.push_back(copyable);
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
  for (uint32_t atom = 0; atom < content.atom_count(); ++atom) {
    const auto* begin = arrangement.is_own.data() + content.first_slot[atom];
    const auto* end = arrangement.is_own.data() + content.first_slot[atom + 1];
    const auto own = static_cast<uint64_t>(std::count(begin, end, 1));
    const bool in_common = own < static_cast<uint64_t>(end - begin);
    const uint64_t copies = in_common ? own : own - 1;
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
  const ReadCosts& costs = content_.costs;
  std::ranges::fill(end_bytes_, 0);
  std::ranges::fill(seconds_, 0);
  std::ranges::fill(reads_common_, 0);
  std::ranges::copy(content_.has_own, has_copy_.begin());
  uint64_t position_bytes = 0;
  for (const uint32_t atom : arrangement.order) {
    bool in_common = false;
    const uint64_t end_bytes = position_bytes + content_.laid_bytes(atom);
    const double padding_s = content_.padding_s(atom);
    for (uint32_t slot = content_.first_slot[atom]; slot < content_.first_slot[atom + 1]; ++slot) {
      const uint32_t scenario = content_.readers[slot];
      if (arrangement.is_own[slot] != 0) {
        has_copy_[scenario] = 1;
        continue;
      }
      in_common = true;
      reads_common_[scenario] = 1;
      seconds_[scenario] += costs.gap_s(position_bytes - end_bytes_[scenario]) + padding_s;
      end_bytes_[scenario] = end_bytes;
    }
    if (in_common) position_bytes = end_bytes;
  }
  for (size_t scenario = 0; scenario < seconds_.size(); ++scenario)
    seconds_[scenario] += costs.jump_s * (reads_common_[scenario] + has_copy_[scenario]);
  return seconds_;
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

#include "packer/plan/internal/arranged_before.h"

#include <utility>
#include <vector>

#include "packer/base/hasher.h"

namespace seekless {
namespace {

// This is enough for all drafts of some thousand atoms, and little compared with the memory of a
// larger plan.
constexpr uint64_t kMostKeptBytes = 64 << 20;

template <typename Hasher, typename Number>
void add_all(Hasher& hasher, const std::vector<Number>& numbers) {
  add_value(hasher, uint64_t{numbers.size()});
  hasher.add(std::as_bytes(std::span(numbers)));
}

uint64_t memory_bytes(const Arrangement& arrangement) {
  return sizeof(arrangement) + arrangement.order.size() * sizeof(uint32_t) +
         arrangement.is_own.size();
}

}  // namespace

uint64_t hash_of(const Arrangement& arrangement) {
  Hasher64 hasher;
  add_all(hasher, arrangement.order);
  add_all(hasher, arrangement.is_own);
  return hasher.digest();
}

format::ContentHash ArrangedBefore::hash_of(const SharedContent& content,
                                            std::initializer_list<uint64_t> settings) {
  Hasher128 hasher;
  add_all(hasher, content.atom_bytes);
  add_all(hasher, content.priced_bytes);
  add_all(hasher, content.atom_assets);
  add_all(hasher, content.first_slot);
  add_all(hasher, content.readers);
  add_all(hasher, content.may_copy);
  add_all(hasher, content.weights);
  add_all(hasher, content.has_own);
  for (const double of_drive :
       {content.costs.jump_s, content.costs.bytes_per_s, content.costs.arrival_s})
    add_value(hasher, of_drive);
  add_value(hasher, content.costs.turn_bytes);
  add_value(hasher, content.block_bytes);
  for (const uint64_t setting : settings) add_value(hasher, setting);
  return hasher.digest();
}

const Arrangement& ArrangedBefore::keep(const format::ContentHash& hash, Arrangement arrangement) {
  kept_bytes_ += memory_bytes(arrangement);
  entries_.push_back({hash, std::move(arrangement)});
  while (kept_bytes_ > kMostKeptBytes && entries_.size() > 1) {
    kept_bytes_ -= memory_bytes(entries_.front().arrangement);
    entries_.pop_front();
  }
  return entries_.back().arrangement;
}

}  // namespace seekless

#include "runtime/name_table.h"

#include <algorithm>
#include <new>

namespace seekless::runtime {
namespace {

// Half full, a search ends at the first or second slot; they lie side by side.
size_t slot_count(size_t most) {
  if (most > UINT32_MAX / 2 - 1) throw std::bad_alloc();
  return 2 * most + 1;
}

}  // namespace

NameTable::NameTable(size_t most, const Memory& memory) {
  if (most == 0) return;
  memory_ = TableMemory(slot_count(most) * sizeof(NamedAsset), memory);
  slots_ = {reinterpret_cast<NamedAsset*>(memory_.bytes().data()), slot_count(most)};
  std::uninitialized_fill(slots_.begin(), slots_.end(), NamedAsset());
}

bool NameTable::add(const NamedAsset& named) {
  const auto count = static_cast<uint32_t>(slots_.size());
  uint32_t at = format::home_slot(named.path_hash, count);
  for (uint32_t looked_at = 0; looked_at < format::kLongestRow; ++looked_at) {
    NamedAsset& slot = slots_[at];
    if (slot.rank == 0) {
      slot = named;
      return true;
    }
    if (slot.path_hash == named.path_hash) return true;
    if (++at == count) at = 0;
  }
  return false;
}

const NamedAsset* NameTable::find(uint64_t path_hash) const {
  if (slots_.empty()) return nullptr;
  const auto count = static_cast<uint32_t>(slots_.size());
  uint32_t at = format::home_slot(path_hash, count);
  for (;;) {
    const NamedAsset& slot = slots_[at];
    if (slot.rank == 0) return nullptr;
    if (slot.path_hash == path_hash) return &slot;
    if (++at == count) at = 0;
  }
}

}  // namespace seekless::runtime

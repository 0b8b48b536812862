#include "runtime/name_table.h"

#include <cassert>
#include <memory>
#include <new>

namespace seekless::runtime {

NameTable::NameTable(size_t most, const Memory& memory) {
  if (most == 0) return;
  if (most > INT32_MAX) throw std::bad_alloc();
  const size_t slots = format::slot_count_for(static_cast<uint32_t>(most));
  slots_memory_ = TableMemory(slots * sizeof(format::Slot), memory);
  assets_memory_ = TableMemory(most * sizeof(NamedAsset), memory);
  slots_ = {reinterpret_cast<format::Slot*>(slots_memory_.bytes().data()), slots};
  assets_ = {reinterpret_cast<NamedAsset*>(assets_memory_.bytes().data()), most};
  std::uninitialized_fill(slots_.begin(), slots_.end(), format::Slot{format::kEmptySlot, 0});
  std::uninitialized_default_construct(assets_.begin(), assets_.end());
}

bool NameTable::add(const NamedAsset& named) {
  const auto slot_count = static_cast<uint32_t>(slots_.size());
  const auto tag = static_cast<uint32_t>(named.path_hash);
  uint32_t at = format::home_slot(named.path_hash, slot_count);
  for (uint32_t looked_at = 0; looked_at < format::kLongestRow; ++looked_at) {
    format::Slot& slot = slots_[at];
    if (slot.index == format::kEmptySlot) {
      assert(count_ < assets_.size());
      slot = {count_, tag};
      assets_[count_++] = named;
      return true;
    }
    if (slot.tag == tag && assets_[slot.index].path_hash == named.path_hash) return true;
    if (++at == slot_count) at = 0;
  }
  return false;
}

}  // namespace seekless::runtime

#include "runtime/name_view.h"

#include "runtime/asset_path.h"

namespace seekless::runtime {

skl_asset NameView::find(std::string_view path, uint64_t& size_bytes) const {
  PathHashes hashes;
  if (!exact_.empty() || (direct_ != nullptr && !direct_->folds_case()))
    hashes.exact = hash_asset_path(path, hash_seed_, false);
  if (!folded_.empty() || (direct_ != nullptr && direct_->folds_case()))
    hashes.folded = hash_asset_path(path, hash_seed_, true);
  return find(hashes, size_bytes);
}

skl_asset NameView::find(const PathHashes& path, uint64_t& size_bytes) const {
  const NamedAsset* const exact = exact_.find(path.exact);
  const NamedAsset* const folded = folded_.find(path.folded);
  const NamedAsset* best = nullptr;
  for (const NamedAsset* found : {exact, folded})
    if (found != nullptr && found->asset != 0 && (best == nullptr || found->rank > best->rank))
      best = found;
  if (direct_ != nullptr && (best == nullptr || best->rank < direct_rank_)) {
    const NamedAsset* const deleted = direct_->folds_case() ? folded : exact;
    const bool is_hidden = deleted != nullptr && deleted->rank > direct_rank_;
    const uint32_t number = is_hidden
                                ? format::kEmptySlot
                                : direct_->find(direct_->folds_case() ? path.folded : path.exact);
    if (number != format::kEmptySlot) {
      size_bytes = direct_->size_bytes(number);
      return direct_mounted_->asset(number);
    }
  }
  if (best == nullptr) return 0;
  size_bytes = best->size_bytes;
  return best->asset;
}

Result<const Mounted*> NameView::mount_of(skl_asset asset) const {
  const auto id = static_cast<skl_mount_id>(asset >> 32);
  if (slot_of(id) < slots_.size()) {
    const Slot& slot = slots_[slot_of(id)];
    if (slot.mounted != nullptr && slot.latest == id &&
        static_cast<uint32_t>(asset) < slot.mounted->mount->asset_count())
      return slot.mounted;
    const bool is_earlier = generation_of(id) < generation_of(slot.latest) ||
                            (slot.mounted == nullptr && slot.latest == id);
    if (generation_of(id) != 0 && is_earlier) return nullptr;
  }
  return make_error(SKL_INVALID, {"asset: expected one that this context gave out, found another"});
}

}  // namespace seekless::runtime

#include "runtime/pack_mount.h"

#include "runtime/asset_path.h"
#include "runtime/read_asset.h"

namespace seekless::runtime {
namespace {

class PackMount final : public Mount {
 public:
  PackMount(std::unique_ptr<PackSet> set, DecodedFrames* decoded)
      : set_(std::move(set)), decoded_(decoded) {}

  uint32_t asset_count() const override { return static_cast<uint32_t>(set_->asset_count()); }
  uint64_t size_bytes(uint32_t number) const override { return set_->size_bytes(number); }

  bool folds_case() const override { return set_->folds_case(); }
  uint32_t find(std::string_view path) const override {
    return set_->find(hash_asset_path(path, set_->hash_seed(), set_->folds_case()));
  }
  Result<void> for_each_path(const PathVisitor& visit) const override {
    return set_->for_each_path(visit);
  }

  Result<Place> place(uint32_t number) const override {
    const auto placed = set_->place(number);
    if (!placed) return std::unexpected(placed.error());
    const Pack& pack = *placed->pack;
    const format::Asset& record = placed->record();
    Place place;
    place.number = number;
    place.size_bytes = record.size_bytes;
    place.file = &pack.file();
    place.pack = &pack;
    place.index = placed->index;
    place.is_range = !pack.has_compressed_blocks();
    if (place.is_range) place.offset_bytes = offset_in_file(pack, record);
    return place;
  }

  Result<std::string> path(uint32_t number) const override {
    const auto placed = set_->place(number);
    if (!placed) return std::unexpected(placed.error());
    return placed->pack->path(placed->index);
  }

  Result<format::ContentHash> content_hash(uint32_t number) const override {
    const auto placed = set_->place(number);
    if (!placed) return std::unexpected(placed.error());
    return placed->pack->content_hash(placed->index);
  }

  Result<void> read(const Place& place, uint64_t offset_bytes,
                    std::span<std::byte> into) const override {
    return read_asset({place.pack, place.index}, offset_bytes, into, decoded_);
  }

  void describe(uint32_t, skl_asset_info& info) const override { info.flags = SKL_ASSET_PACKED; }
  const PackSet* pack_set() const override { return set_.get(); }

 private:
  std::unique_ptr<PackSet> set_;
  DecodedFrames* const decoded_;
};

}  // namespace

Result<MountPointer> open_pack_mount(const FileIo& io, const std::string& path,
                                     const Memory& memory, DecodedFrames* decoded) {
  auto set = PackSet::open(io, path, memory);
  if (!set) return std::unexpected(set.error());
  return MountPointer::adopt(new PackMount(std::move(*set), decoded));
}

}  // namespace seekless::runtime

#include "packer/pack/virtual_packs.h"

#include <algorithm>
#include <span>
#include <utility>

#include "packer/base/hasher.h"
#include "packer/base/in_parallel.h"
#include "packer/base/paths.h"
#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_plan.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

constexpr size_t kFewAssets = 1000;

// Computes checksums of zeros, once for each length.
class ZeroHashes {
 public:
  uint64_t of_block(uint64_t size_bytes) {
    const auto [known, is_new] = blocks_.try_emplace(size_bytes);
    if (is_new) {
      zeros_.resize(std::max<size_t>(zeros_.size(), size_bytes));
      known->second = XXH3_64bits(zeros_.data(), size_bytes);
    }
    return known->second;
  }

  format::ContentHash of_content(uint64_t size_bytes) {
    const auto [known, is_new] = contents_.try_emplace(size_bytes);
    if (is_new) {
      zeros_.resize(std::max<size_t>(zeros_.size(), kPieceBytes));
      Hasher128 hasher;
      for (uint64_t left = size_bytes; left > 0;) {
        const size_t piece = std::min<uint64_t>(left, kPieceBytes);
        hasher.add(std::as_bytes(std::span(zeros_).first(piece)));
        left -= piece;
      }
      known->second = hasher.digest();
    }
    return known->second;
  }

 private:
  static constexpr size_t kPieceBytes = 256 * 1024;

  std::vector<std::byte> zeros_;
  std::map<uint64_t, uint64_t> blocks_;
  std::map<uint64_t, format::ContentHash> contents_;
};

}  // namespace

class VirtualPacks::ZeroFile final : public runtime::File {
 public:
  ZeroFile(std::string name, const Image& image) : name_(std::move(name)), image_(image) {}

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return image_.size_bytes; }
  void will_need(uint64_t, uint64_t) const override {}

  runtime::Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > image_.size_bytes || into.size() > image_.size_bytes - offset_bytes)
      return runtime::damaged({name_, ": expected more bytes, found the end of the file"});
    const uint64_t copied =
        offset_bytes < image_.front.size()
            ? std::min<uint64_t>(into.size(), image_.front.size() - offset_bytes)
            : 0;
    std::copy_n(image_.front.begin() + static_cast<std::ptrdiff_t>(copied > 0 ? offset_bytes : 0),
                copied, into.begin());
    std::ranges::fill(into.subspan(copied), std::byte{0});
    return {};
  }

 private:
  std::string name_;
  const Image& image_;
};

Result<std::unique_ptr<VirtualPacks>> VirtualPacks::of_layout(const Layout& layout) {
  SKL_TRY(const auto seed, choose_hash_seed(layout));
  std::unique_ptr<VirtualPacks> set(new VirtualPacks);
  ContentReader content(layout.sources);
  ZeroHashes zeros;
  std::vector<WrittenPack> packs;
  for (const LaidPack& pack : layout.packs) {
    // Starting threads takes longer than reading a small pack, and there can be ten thousand packs.
    const size_t threads = pack.assets.size() < kFewAssets ? 1 : thread_count(0);
    SKL_TRY(auto plan, plan_pack(layout, pack, content, format::Codec::raw, threads));
    std::vector<format::Block> blocks = raw_blocks(plan);
    WrittenPack& written = packs.emplace_back();
    for (format::Block& block : blocks) {
      block.checksum = zeros.of_block(format::round_up(block.stored_bytes, format::kPageBytes));
      written.block_offsets.push_back(block.offset_bytes);
    }
    std::vector<format::ContentHash> hashes;
    hashes.reserve(pack.assets.size());
    for (const LaidAsset& asset : pack.assets) hashes.push_back(zeros.of_content(asset.size_bytes));
    written.file_bytes = end_of(plan, blocks);
    written.block_offsets.push_back(written.file_bytes);
    SKL_TRY(auto tables,
            build_tables(layout, pack, plan, blocks, {}, hashes, written.file_bytes, seed));
    written.file_name = pack.name + ".skl";
    written.pack_id = tables.seal();
    written.placement = std::move(plan.placement);
    set->files_[written.file_name] = {tables.take_bytes(), written.file_bytes};
  }
  SKL_TRY(auto catalog, build_catalog(layout, packs, seed));
  catalog.seal();
  const uint64_t size = catalog.size_bytes();
  set->files_[runtime::kCatalogName] = {catalog.take_bytes(), size};
  return set;
}

runtime::Result<std::unique_ptr<runtime::File>> VirtualPacks::open(const std::string& path) const {
  const auto found = files_.find(std::string(file_name(path)));
  if (found == files_.end())
    return std::unexpected(runtime::Error{SKL_IO, path + ": not a file of the layout"});
  return std::make_unique<ZeroFile>(path, found->second);
}

bool VirtualPacks::is_folder(const std::string& path) const {
  return !files_.contains(std::string(file_name(path)));
}

Result<std::unique_ptr<runtime::FileIo>> io_of_packs(const std::string& path) {
  if (!path.ends_with(".json")) return runtime::make_system_file_io();
  SKL_TRY(const auto layout, read_layout(path));
  return VirtualPacks::of_layout(layout);
}

}  // namespace seekless

#include "runtime/pack_set.h"

#include "runtime/asset_path.h"

namespace seekless::runtime {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

PackSet::~PackSet() {
  for (auto& pack : packs_) delete pack.load(std::memory_order_acquire);
}

Result<std::unique_ptr<PackSet>> PackSet::open(const FileIo& io, const std::string& path) {
  const bool is_folder = io.is_folder(path);
  auto file = io.open(is_folder ? path + "/" + kCatalogName : path);
  if (!file) return std::unexpected(file.error());
  std::unique_ptr<PackSet> set(new PackSet(io, is_folder ? path : folder_of(path)));
  const auto header = read_header(**file);
  if (!header) return std::unexpected(header.error());
  set->hash_seed_ = header->hash_seed;
  set->folds_case_ = (header->required_flags & format::kFoldCase) != 0;

  if (header->kind == format::FileKind::pack) {
    auto pack = Pack::open(std::move(*file));
    if (!pack) return std::unexpected(pack.error());
    set->packs_ = std::vector<std::atomic<Pack*>>(1);
    set->packs_.front().store(pack->release(), std::memory_order_release);
    return set;
  }
  auto catalog = Catalog::open(**file);
  if (!catalog) return std::unexpected(catalog.error());
  set->catalog_ = std::move(*catalog);
  set->packs_ = std::vector<std::atomic<Pack*>>(set->catalog_->packs().size());
  return set;
}

size_t PackSet::asset_count() const {
  return catalog_ ? catalog_->assets().size() : packs_.front().load()->assets().size();
}

uint32_t PackSet::find(uint64_t path_hash) const {
  return catalog_ ? catalog_->find(path_hash)
                  : packs_.front().load(std::memory_order_relaxed)->find(path_hash);
}

uint64_t PackSet::size_bytes(uint32_t asset) const {
  return catalog_ ? catalog_->assets()[asset].size_bytes
                  : packs_.front().load(std::memory_order_relaxed)->assets()[asset].size_bytes;
}

Result<PlacedAsset> PackSet::place(uint32_t asset) const {
  if (!catalog_) return PlacedAsset{packs_.front().load(std::memory_order_relaxed), asset};
  const format::Place place = catalog_->places(catalog_->assets()[asset]).front();
  const auto opened = pack(place.pack);
  if (!opened) return std::unexpected(opened.error());
  return PlacedAsset{*opened, place.asset};
}

uint32_t PackSet::number_of(const PlacedAsset& asset) const {
  return catalog_ ? catalog_->find(asset.record().path_hash) : asset.index;
}

Result<const Pack*> PackSet::pack(uint32_t number) const {
  if (const Pack* opened = packs_[number].load(std::memory_order_acquire)) return opened;
  const format::CatalogPack& expected = catalog_->packs()[number];
  auto file = io_.open(folder_ + "/" + std::string(catalog_->name(expected)));
  if (!file) return std::unexpected(file.error());
  auto fresh = Pack::open(std::move(*file));
  if (!fresh) return std::unexpected(fresh.error());
  const format::Header& header = (*fresh)->header();
  if (header.checksum != expected.pack_id || header.hash_seed != hash_seed_ ||
      (*fresh)->assets().size() != expected.asset_count)
    return damaged((*fresh)->file().name() +
                   ": expected the pack that its catalog was made with, found another; an update "
                   "was interrupted, or files of two sets are mixed: pack again");
  Pack* current = nullptr;
  if (packs_[number].compare_exchange_strong(current, fresh->get(), std::memory_order_acq_rel))
    return fresh->release();
  return current;
}

}  // namespace seekless::runtime

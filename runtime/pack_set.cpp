#include "runtime/pack_set.h"

#include <algorithm>
#include <iterator>

#include "runtime/asset_path.h"

namespace seekless::runtime {
namespace {

// A binary search works because needs are sorted by pack and asset.
bool is_needed(std::span<const format::Need> needs, const format::Place& place) {
  const auto key = [](uint32_t pack, uint32_t asset) { return uint64_t{pack} << 32 | asset; };
  const auto behind = std::ranges::upper_bound(
      needs, key(place.pack, place.asset), {},
      [&](const format::Need& need) { return key(need.pack, need.first_asset); });
  if (behind == needs.begin()) return false;
  const format::Need& need = *std::prev(behind);
  return need.pack == place.pack && place.asset - need.first_asset < need.asset_count;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

PackSet::~PackSet() {
  for (auto& pack : packs_) delete pack.load(std::memory_order_acquire);
  for (auto& file : files_) delete file.load(std::memory_order_acquire);
}

Result<std::unique_ptr<PackSet>> PackSet::open(const FileIo& io, const std::string& path,
                                               const Memory& memory) {
  const bool is_folder = io.is_folder(path);
  auto file = io.open(is_folder ? join({path, "/", kCatalogName}) : path);
  if (!file) return std::unexpected(file.error());
  std::unique_ptr<PackSet> set(new PackSet(io, is_folder ? path : folder_of(path), memory));
  const auto header = read_header(**file);
  if (!header) return std::unexpected(header.error());
  set->hash_seed_ = header->hash_seed;
  set->folds_case_ = (header->required_flags & format::kFoldCase) != 0;

  if (header->kind == format::FileKind::pack) {
    auto pack = Pack::open(std::move(*file), memory);
    if (!pack) return std::unexpected(pack.error());
    set->packs_ = std::vector<std::atomic<Pack*>>(1);
    set->packs_.front().store(pack->release(), std::memory_order_release);
    return set;
  }
  auto catalog = Catalog::open(**file, memory);
  if (!catalog) return std::unexpected(catalog.error());
  set->catalog_ = std::move(*catalog);
  set->packs_ = std::vector<std::atomic<Pack*>>(set->catalog_->packs().size());
  set->files_ = std::vector<std::atomic<File*>>(set->packs_.size());
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

uint64_t PackSet::path_hash(uint32_t asset) const {
  return catalog_ ? catalog_->assets()[asset].path_hash
                  : packs_.front().load(std::memory_order_relaxed)->assets()[asset].path_hash;
}

Result<void> PackSet::for_each_path(
    const std::function<Result<void>(uint32_t, const std::string&)>& visit) const {
  for (uint32_t i = 0; i < packs_.size(); ++i) {
    const auto opened = pack(i);
    if (!opened) return std::unexpected(opened.error());
    const Pack& of = **opened;
    uint32_t index = 0;
    for (uint32_t chunk = 0; chunk < of.chunk_count(); ++chunk) {
      const auto paths = of.paths_of_chunk(chunk);
      if (!paths) return std::unexpected(paths.error());
      for (const std::string& path : *paths) {
        const PlacedAsset placed = {&of, index++};
        const uint32_t number = number_of(placed);
        if (hash_asset_path(path, hash_seed_, folds_case_) != placed.record().path_hash)
          return damaged({of.file().name(), ": asset '", path,
                          "': expected a path of the hash that its table has, found another; "
                          "pack it again"});
        const bool is_dead = number == format::kEmptySlot;
        if (is_dead || (catalog_ && !is_first_place(number, {i, placed.index}))) continue;
        if (auto visited = visit(number, path); !visited) return visited;
      }
    }
  }
  return {};
}

bool PackSet::is_first_place(uint32_t asset, const format::Place& place) const {
  const format::Place& first = catalog_->places(catalog_->assets()[asset]).front();
  return first.pack == place.pack && first.asset == place.asset;
}

Result<PlacedAsset> PackSet::place(uint32_t asset) const {
  if (!catalog_) return PlacedAsset{packs_.front().load(std::memory_order_relaxed), asset};
  const std::span<const format::Place> places = catalog_->places(catalog_->assets()[asset]);
  format::Place place = places.front();
  const format::Scenario* scenario = scenario_.load(std::memory_order_relaxed);
  if (scenario != nullptr && places.size() > 1)
    place = needed_place(asset, *scenario).value_or(place);
  const auto opened = pack(place.pack);
  if (!opened) return std::unexpected(opened.error());
  return PlacedAsset{*opened, place.asset};
}

std::optional<format::Place> PackSet::needed_place(uint32_t asset,
                                                   const format::Scenario& scenario) const {
  if (asset >= asset_count()) return std::nullopt;
  const std::span<const format::Need> needs = catalog_->needs(scenario);
  std::optional<format::Place> needed;
  for (const format::Place& copy : catalog_->places(catalog_->assets()[asset]))
    if (is_needed(needs, copy)) needed = copy;
  return needed;
}

uint32_t PackSet::number_of(const PlacedAsset& asset) const {
  return catalog_ ? catalog_->find(asset.record().path_hash) : asset.index;
}

std::string PackSet::path_of(const format::CatalogPack& pack) const {
  return join({folder_, "/", catalog_->name(pack)});
}

Result<std::unique_ptr<Pack>> PackSet::open_pack(Result<std::unique_ptr<File>> file,
                                                 const format::CatalogPack& expected) const {
  if (!file) return std::unexpected(file.error());
  auto fresh = Pack::open(std::move(*file), memory_);
  if (!fresh) return fresh;
  const format::Header& header = (*fresh)->header();
  if (header.checksum != expected.pack_id || header.hash_seed != hash_seed_ ||
      (*fresh)->assets().size() != expected.asset_count)
    return damaged({(*fresh)->file().name(),
                    ": expected the pack that its catalog was made with, found another; an update "
                    "was interrupted, or files of two sets are mixed: pack again"});
  return fresh;
}

// Opens the held file, or else the file at the pack's path, or else the one in the folder for new
// packs.
Result<std::unique_ptr<Pack>> PackSet::open_pack(uint32_t number) const {
  const format::CatalogPack& expected = catalog_->packs()[number];
  if (std::unique_ptr<File> held{files_[number].exchange(nullptr, std::memory_order_acq_rel)})
    if (auto fresh = open_pack(std::move(held), expected)) return fresh;
  const std::string name(catalog_->name(expected));
  auto fresh = open_pack(io_.open(path_of(expected)), expected);
  if (fresh) return fresh;
  const std::string path = path_of_pack(io_, folder_, name, expected.pack_id);
  if (auto moving = open_pack(io_.open(path), expected)) return moving;
  return fresh;
}

Result<const Pack*> PackSet::pack(uint32_t number) const {
  if (const Pack* opened = packs_[number].load(std::memory_order_acquire)) return opened;
  auto fresh = open_pack(number);
  if (!fresh) return std::unexpected(fresh.error());
  Pack* current = nullptr;
  if (packs_[number].compare_exchange_strong(current, fresh->get(), std::memory_order_acq_rel))
    return fresh->release();
  return current;
}

Result<void> PackSet::hold(uint32_t number) const {
  if (is_open(number) || files_[number].load(std::memory_order_acquire) != nullptr) return {};
  const format::CatalogPack& expected = catalog_->packs()[number];
  auto file = io_.open(path_of(expected));
  if (!file || (*file)->size_bytes() != expected.file_bytes) {
    const auto opened = pack(number);
    return opened ? Result<void>() : std::unexpected(opened.error());
  }
  File* none = nullptr;
  if (files_[number].compare_exchange_strong(none, file->get(), std::memory_order_acq_rel))
    (void)file->release();
  return {};
}

std::string path_of_pack(const FileIo& io, const std::string& folder, const std::string& name,
                         uint64_t pack_id) {
  const std::string in_place = join({folder, "/", name});
  const auto is_at = [&](const std::string& path) {
    const auto file = io.open(path);
    const auto header = file ? read_header(**file) : std::unexpected(file.error());
    return header && header->checksum == pack_id;
  };
  const std::string arriving = join({folder, "/", kNewPacksFolder, "/", name});
  return !is_at(in_place) && is_at(arriving) ? arriving : in_place;
}

}  // namespace seekless::runtime

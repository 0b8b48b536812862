#include "packer/pack/verify.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "runtime/asset_path.h"
#include "runtime/catalog.h"
#include "runtime/pack_set.h"
#include "runtime/sweep.h"

namespace seekless {
namespace {

using runtime::Pack;

constexpr size_t kMostDamages = 1000;  // of one pack; more would tell nothing new

format::ContentHash canonical(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  format::ContentHash bytes;
  std::memcpy(bytes.data(), canonical.digest, bytes.size());
  return bytes;
}

// Checks one pack that could be opened: its index is sound then.
class PackVerifier {
 public:
  PackVerifier(const Pack& pack, const VerifyOptions& options) : pack_(pack), options_(options) {}

  std::vector<Damage> run() {
    read_names();
    read_content_hashes();
    // Blocks are shared out one by one; whoever has the first of a large asset reads on from there.
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 1; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    std::ranges::sort(damages_, {}, &Damage::offset_bytes);
    return std::move(damages_);
  }

 private:
  void read_names() {
    for (uint32_t chunk = 0; chunk < pack_.chunk_count(); ++chunk) {
      const auto paths = pack_.paths_of_chunk(chunk);
      if (!paths) return add(paths.error(), {});
      names_.insert(names_.end(), paths->begin(), paths->end());
    }
    for (uint32_t i = 0; i < names_.size(); ++i)
      if (hash_asset_path(names_[i], pack_.header().hash_seed, pack_.folds_case()) !=
          pack_.assets()[i].path_hash)
        add(0, "asset's path: expected the one its hash was made of, found another", {names_[i]});
  }

  // Its checksum is looked at when it is first read.
  void read_content_hashes() {
    if (pack_.assets().empty()) return;
    if (const auto hash = pack_.content_hash(0); !hash) add(hash.error(), {});
  }

  void work() {
    const size_t block_bytes = pack_.header().block_bytes;
    runtime::TableMemory buffer(block_bytes);
    runtime::TableMemory scratch(block_bytes);
    for (;;) {
      const uint32_t block = next_block_.fetch_add(1);
      if (block >= pack_.blocks().size()) return;
      check_block(block, buffer.bytes(), scratch.bytes());
    }
  }

  std::span<const format::Asset> assets_from(uint32_t block) const {
    const size_t first = pack_.blocks()[block].first_asset;
    const size_t end = block + 1 < pack_.blocks().size() ? pack_.blocks()[block + 1].first_asset
                                                         : pack_.assets().size();
    return pack_.assets().subspan(first, end - first);
  }

  std::string name_of(const format::Asset& asset) const {
    const auto index = static_cast<size_t>(&asset - pack_.assets().data());
    return index < names_.size() ? names_[index] : fmt::format("#{}", index);
  }

  std::vector<std::string> names_in(uint32_t block) const {
    std::vector<std::string> names;
    // One that began earlier may reach in here.
    const size_t first = pack_.blocks()[block].first_asset;
    for (size_t i = first; i-- > 0;) {
      const format::Asset& asset = pack_.assets()[i];
      if (asset.block + pack_.block_count(asset) > block) names.push_back(name_of(asset));
      if (asset.size_bytes > 0) break;
    }
    for (const format::Asset& asset : assets_from(block))
      if (asset.block == block && asset.size_bytes > 0) names.push_back(name_of(asset));
    return names;
  }

  void check_block(uint32_t block, std::span<std::byte> buffer, std::span<std::byte> scratch) {
    const auto raw = pack_.read_block(block, buffer, scratch);
    count(block);
    if (!raw) return add(raw.error(), names_in(block));
    for (const format::Asset& asset : assets_from(block)) {
      if (asset.block != block || asset.size_bytes == 0) continue;
      if (pack_.block_count(asset) > 1) {
        check_large(asset, scratch);
        continue;
      }
      const auto content = raw->subspan(runtime::offset_in_block(asset), asset.size_bytes);
      check_content(asset, canonical(XXH3_128bits(content.data(), content.size())));
    }
  }

  void check_large(const format::Asset& asset, std::span<std::byte> scratch) {
    runtime::TableMemory buffer(pack_.header().block_bytes);
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    uint64_t left = asset.size_bytes;
    for (uint32_t block = asset.block; left > 0; ++block) {
      const auto raw = pack_.read_block(block, buffer.bytes(), scratch);
      if (!raw) return;  // told by whoever checks that block
      const auto part = raw->first(std::min<uint64_t>(left, raw->size()));
      XXH3_128bits_update(&state, part.data(), part.size());
      left -= part.size();
    }
    check_content(asset, canonical(XXH3_128bits_digest(&state)));
  }

  void check_content(const format::Asset& asset, const format::ContentHash& found) {
    const auto index = static_cast<uint32_t>(&asset - pack_.assets().data());
    const auto expected = pack_.content_hash(index);
    if (expected && *expected != found)
      add(pack_.blocks()[asset.block].offset_bytes + runtime::offset_in_block(asset),
          "asset: expected content of its hash, found other bytes", {name_of(asset)});
  }

  void count(uint32_t block) {
    if (options_.done_bytes != nullptr)
      *options_.done_bytes += pack_.blocks()[block].stored_bytes;
  }

  void add(uint64_t offset, std::string what, std::vector<std::string> assets) {
    const std::lock_guard lock(mutex_);
    if (damages_.size() < kMostDamages)
      damages_.push_back({pack_.file().name(), offset, std::move(what), std::move(assets)});
  }
  void add(const runtime::Error& error, std::vector<std::string> assets) {
    add(error.offset_bytes, error.message, std::move(assets));
  }

  const Pack& pack_;
  const VerifyOptions& options_;
  std::vector<std::string> names_;
  std::atomic<uint32_t> next_block_ = 0;
  std::mutex mutex_;
  std::vector<Damage> damages_;
};

// Checks a set, or a single pack, and collects what is wrong.
class Verifier {
 public:
  explicit Verifier(const VerifyOptions& options) : options_(options) {}

  Result<VerifyReport> run(const std::string& path) {
    const std::string file_path =
        io_->is_folder(path) ? path + "/" + runtime::kCatalogName : path;
    auto file = io_->open(file_path);
    if (!file) {
      const bool missing = file.error().result == SKL_NOT_FOUND;
      return failed({.file = path, .place = file.error().message,
                     .advice = missing ? "name a pack set's folder or a .skl file" : ""});
    }
    report_.bytes += (*file)->size_bytes();
    const auto header = runtime::read_header(**file);
    if (header && header->kind == format::FileKind::catalog)
      check_set(**file);
    else
      check_pack(std::move(*file), nullptr);
    return std::move(report_);
  }

 private:
  void add(const runtime::Error& error, const std::string& file) {
    report_.damages.push_back({file, error.offset_bytes, error.message, {}});
  }

  void check_set(const runtime::File& file) {
    const auto catalog = runtime::Catalog::open(file);
    if (!catalog) return add(catalog.error(), file.name());
    const std::string folder = file.name().substr(0, file.name().size() -
                                                  std::string_view(runtime::kCatalogName).size());
    for (uint32_t i = 0; i < (*catalog)->packs().size(); ++i) {
      const format::CatalogPack& pack = (*catalog)->packs()[i];
      const std::string path = folder + std::string((*catalog)->name(pack));
      auto opened = io_->open(path);
      if (!opened) {
        add(opened.error(), path);
        continue;
      }
      report_.bytes += (*opened)->size_bytes();
      const size_t damages_before = report_.damages.size();
      const auto checked = check_pack(std::move(*opened), &pack);
      if (checked && report_.damages.size() == damages_before)
        check_places(**catalog, i, *checked, file.name());
    }
    if (report_.damages.empty()) check_scenarios(file.name());
  }

  std::unique_ptr<Pack> check_pack(std::unique_ptr<runtime::File> file,
                                   const format::CatalogPack* expected) {
    ++report_.packs;
    const std::string name = file->name();
    auto pack = Pack::open(std::move(file));
    if (!pack) {
      add(pack.error(), name);
      return nullptr;
    }
    if (expected != nullptr && (*pack)->header().checksum != expected->pack_id)
      add({SKL_DAMAGED, name + ": expected the pack that its catalog was made with, found another; "
                               "pack again", 0, 0}, name);
    report_.assets += (*pack)->assets().size();
    for (Damage& damage : PackVerifier(**pack, options_).run())
      report_.damages.push_back(std::move(damage));
    return std::move(*pack);
  }

  // What the catalog says of a pack's assets.
  void check_places(const runtime::Catalog& catalog, uint32_t number,
                    const Pack& pack, const std::string& file) {
    for (const format::CatalogAsset& asset : catalog.assets())
      for (const format::Place& place : catalog.places(asset)) {
        if (place.pack != number) continue;
        const bool exists = place.asset < pack.assets().size();
        if (exists && pack.assets()[place.asset].path_hash == asset.path_hash &&
            pack.assets()[place.asset].size_bytes == asset.size_bytes)
          continue;
        return add({SKL_DAMAGED, file + ": expected the places of assets in " +
                                     pack.file().name() + ", found others; pack again"}, file);
      }
  }

  // Opening a sweep checks that it reads all that its scenario needs.
  void check_scenarios(const std::string& file) {
    const auto set = runtime::PackSet::open(*io_, file);
    if (!set) return add(set.error(), file);
    runtime::BlockPool pool(uint64_t{2} * format::kMaxBlockBytes);
    for (const format::Scenario& scenario : (*set)->catalog()->scenarios())
      if (const auto sweep = runtime::Sweep::open(**set, &scenario, pool); !sweep)
        add(sweep.error(), file);
  }

  const VerifyOptions& options_;
  const std::unique_ptr<runtime::FileIo> io_ = runtime::make_system_file_io();
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify(const std::string& path, const VerifyOptions& options) {
  return Verifier(options).run(path);
}

}  // namespace seekless

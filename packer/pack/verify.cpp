#include "packer/pack/verify.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/base/in_parallel.h"
#include "packer/host/runtime_error.h"
#include "runtime/asset_path.h"
#include "runtime/catalog.h"
#include "runtime/pack_set.h"
#include "runtime/sweep.h"

namespace seekless {
namespace {

using runtime::Pack;

constexpr size_t kMostDamages = 1000;  // limit of damages listed for a pack; more would add nothing
constexpr size_t kMostNames = 1000;    // limit of assets listed for a damage

// Checks one pack that could be opened, so its index is intact.
class PackVerifier {
 public:
  PackVerifier(const Pack& pack, const VerifyOptions& options) : pack_(pack), options_(options) {}

  std::vector<Damage> run() {
    check_names();
    read_content_hashes();
    // Threads get blocks one by one; the thread with the first block of a large asset reads on from
    // there.
    on_threads(
        options_.threads, [this](size_t) { work(); },
        [this]() noexcept { next_block_ = static_cast<uint32_t>(pack_.blocks().size()); });
    std::ranges::sort(damages_, {}, &Damage::offset_bytes);
    return std::move(damages_);
  }

 private:
  // Works chunk by chunk, because all names together can be many times as long as the file.
  void check_names() {
    const uint64_t offset =
        pack_.header().sections[static_cast<size_t>(format::PackSection::names)].offset_bytes;
    size_t asset = 0;
    for (uint32_t chunk = 0; chunk < pack_.chunk_count(); ++chunk) {
      const auto paths = pack_.paths_of_chunk(chunk);
      if (!paths) return add(paths.error(), {});
      for (const std::string& path : *paths)
        if (hash_asset_path(path, pack_.header().hash_seed, pack_.folds_case()) !=
            pack_.assets()[asset++].path_hash)
          add(offset, "asset's path: expected the one its hash was made of, found another", {path});
    }
  }

  // The section's checksum is checked when it is first read.
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

  std::string name_of(const format::Asset& asset) {
    const auto index = static_cast<uint32_t>(&asset - pack_.assets().data());
    const uint32_t chunk = index / format::kNamesPerChunk;
    const std::lock_guard lock(names_mutex_);
    if (named_chunk_ != chunk || names_.empty()) {
      names_ = pack_.paths_of_chunk(chunk).value_or(std::vector<std::string>());
      named_chunk_ = chunk;
    }
    return names_.empty() ? fmt::format("#{}", index) : names_[index % format::kNamesPerChunk];
  }

  std::vector<std::string> names_in(uint32_t block) {
    std::vector<std::string> names;
    // An asset that began earlier may extend into this block, and so may its duplicates; all other
    // assets before them end earlier.
    for (size_t i = pack_.blocks()[block].first_asset; i-- > 0 && names.size() < kMostNames;) {
      const format::Asset& asset = pack_.assets()[i];
      if (asset.block + pack_.block_count(asset) <= block) break;
      names.push_back(name_of(asset));
    }
    std::ranges::reverse(names);
    for (const format::Asset& asset : assets_from(block)) {
      if (names.size() >= kMostNames) break;
      if (asset.size_bytes > 0) names.push_back(name_of(asset));
    }
    return names;
  }

  void check_block(uint32_t block, std::span<std::byte> buffer, std::span<std::byte> scratch) {
    const auto raw = pack_.read_block(block, buffer, scratch);
    count(block);
    if (!raw) return add(raw.error(), names_in(block));
    check_frames(block, runtime::is_compressed(pack_.blocks()[block]) ? scratch : buffer);
    // Assets of equal content are neighbours and share their bytes.
    const format::Asset* hashed = nullptr;
    std::optional<format::ContentHash> found;
    for (const format::Asset& asset : assets_from(block)) {
      if (asset.size_bytes == 0) continue;
      if (hashed == nullptr || runtime::offset_in_block(*hashed) != runtime::offset_in_block(asset))
        found = pack_.block_count(asset) > 1 ? hash_large(asset, scratch) : hash_small(asset, *raw);
      hashed = &asset;
      if (found) check_content(asset, *found);
    }
  }

  // The block's own checksum is right, so if a frame doesn't match, its record is wrong.
  void check_frames(uint32_t block, std::span<const std::byte> stored) {
    const uint64_t offset = pack_.blocks()[block].offset_bytes;
    for (const format::Frame& frame : pack_.frames_of(block))
      if (!pack_.is_frame(frame, stored.subspan(frame.offset_bytes, frame.stored_bytes)))
        add(offset + frame.offset_bytes,
            "frame: expected bytes that match its checksum, found others", names_in(block));
  }

  static format::ContentHash hash_small(const format::Asset& asset,
                                        std::span<const std::byte> block) {
    const auto content = block.subspan(runtime::offset_in_block(asset), asset.size_bytes);
    return hash_of_content(content);
  }

  // Returns nothing if one of its blocks is damaged; that block's check reports it.
  std::optional<format::ContentHash> hash_large(const format::Asset& asset,
                                                std::span<std::byte> scratch) const {
    runtime::TableMemory buffer(pack_.header().block_bytes);
    Hasher128 hasher;
    uint64_t left = asset.size_bytes;
    for (uint32_t block = asset.block; left > 0; ++block) {
      const auto raw = pack_.read_block(block, buffer.bytes(), scratch);
      if (!raw) return std::nullopt;
      const auto part = raw->first(std::min<uint64_t>(left, raw->size()));
      hasher.add(part);
      left -= part.size();
    }
    return hasher.digest();
  }

  void check_content(const format::Asset& asset, const format::ContentHash& found) {
    const auto index = static_cast<uint32_t>(&asset - pack_.assets().data());
    const auto expected = pack_.content_hash(index);
    if (expected && *expected != found)
      add(pack_.blocks()[asset.block].offset_bytes + runtime::offset_in_block(asset),
          "asset: expected content of its hash, found other bytes", {name_of(asset)});
  }

  void count(uint32_t block) {
    if (options_.done_bytes != nullptr) *options_.done_bytes += pack_.blocks()[block].stored_bytes;
  }

  void add(uint64_t offset, std::string what, std::vector<std::string> assets) {
    add(Damage{pack_.file().name(), offset, std::move(what), std::move(assets)});
  }
  void add(const runtime::Error& error, std::vector<std::string> assets) {
    add(Damage{pack_.file().name(), error.offset_bytes, message_of(error), std::move(assets),
               is_unseen(error)});
  }
  void add(Damage damage) {
    const std::lock_guard lock(mutex_);
    if (damages_.size() < kMostDamages) damages_.push_back(std::move(damage));
  }

  const Pack& pack_;
  const VerifyOptions& options_;
  std::atomic<uint32_t> next_block_ = 0;
  std::mutex names_mutex_;
  std::vector<std::string> names_;  // names in the chunk that was read last
  uint32_t named_chunk_ = 0;
  std::mutex mutex_;
  std::vector<Damage> damages_;
};

std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Checks a set, or a single pack, and collects its damages.
class SetVerifier {
 public:
  explicit SetVerifier(const VerifyOptions& options)
      : options_(options), io_(options.io != nullptr ? options.io : system_.get()) {}

  Result<VerifyReport> run(const std::string& path) {
    const std::string file_path = io_->is_folder(path) ? path + "/" + runtime::kCatalogName : path;
    auto file = io_->open(file_path);
    if (!file) {
      const bool missing = file.error().result == SKL_NOT_FOUND;
      return failed({.place = message_of(file.error()),
                     .advice = missing ? "name a pack set's folder or a .skl file" : ""});
    }
    const auto header = runtime::read_header(**file);
    if (header && header->kind == format::FileKind::catalog) return check_steady_set(file_path);
    report_.bytes += (*file)->size_bytes();
    if (!header && is_unseen(header.error()))
      add(header.error(), file_path);
    else
      check_pack(std::move(*file), nullptr);
    return std::move(report_);
  }

 private:
  void add(const runtime::Error& error, const std::string& file) {
    report_.damages.push_back({file, error.offset_bytes, message_of(error), {}, is_unseen(error)});
  }

  // Checks a set until it stays the same. A build may replace the set during the check. It moves
  // its catalog first, so packs that don't fit are damaged only if the catalog is still the same.
  Result<VerifyReport> check_steady_set(const std::string& path) {
    constexpr int kMostTries = 100;
    const uint64_t done_bytes = options_.done_bytes != nullptr ? options_.done_bytes->load() : 0;
    for (int i = 0; i < kMostTries; ++i) {
      report_ = {};
      if (options_.done_bytes != nullptr) *options_.done_bytes = done_bytes;
      const auto file = io_->open(path);
      if (!file) return from_runtime(file.error());
      report_.bytes += (*file)->size_bytes();
      check_set(**file);
      if (report_.damages.empty()) return std::move(report_);
      const auto is_same = lies_at(path, **file);
      if (!is_same) return from_runtime(is_same.error());
      if (*is_same) return std::move(report_);
    }
    return failed({.file = path,
                   .expected = "a set that stays the same while it is read",
                   .found = "that it was replaced again and again",
                   .advice = "run it again when the builds have ended"});
  }

  static std::optional<uint64_t> id_of(const runtime::File& file) {
    const auto header = runtime::read_header(file);
    return header ? std::optional(header->checksum) : std::nullopt;
  }
  // Returns true if the path still leads to the same file as `file`. Fails if the system can't
  // tell.
  runtime::Result<bool> lies_at(const std::string& path, const runtime::File& file) const {
    const auto now = io_->open(path);
    if (!now && is_unseen(now.error())) return std::unexpected(now.error());
    return now && id_of(**now) == id_of(file);
  }

  // Opens the pack's file. A build may move it while both folders are searched, so this searches
  // twice.
  runtime::Result<std::unique_ptr<runtime::File>> open_pack_of(const std::string& folder,
                                                               const std::string& name,
                                                               uint64_t pack_id) const {
    auto file = io_->open(runtime::path_of_pack(*io_, folder, name, pack_id));
    if (file && id_of(**file) == pack_id) return file;
    return io_->open(runtime::path_of_pack(*io_, folder, name, pack_id));
  }

  void check_set(const runtime::File& file) {
    const auto catalog = runtime::Catalog::open(file);
    if (!catalog) return add(catalog.error(), file.name());
    const std::string folder = folder_of(file.name());
    const auto places = places_by_pack(**catalog);
    for (uint32_t i = 0; i < (*catalog)->packs().size(); ++i) {
      const format::CatalogPack& pack = (*catalog)->packs()[i];
      auto opened = open_pack_of(folder, std::string((*catalog)->name(pack)), pack.pack_id);
      if (!opened) {
        add(opened.error(), folder + "/" + std::string((*catalog)->name(pack)));
        continue;
      }
      report_.bytes += (*opened)->size_bytes();
      const size_t damages_before = report_.damages.size();
      const auto checked = check_pack(std::move(*opened), &pack);
      if (checked && report_.damages.size() == damages_before)
        check_places(**catalog, places[i], *checked, file.name());
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
      add({SKL_DAMAGED,
           name + ": expected the pack that its catalog was made with, found another; "
                  "pack again",
           0, 0},
          name);
    report_.assets += (*pack)->assets().size();
    for (Damage& damage : PackVerifier(**pack, options_).run())
      report_.damages.push_back(std::move(damage));
    return std::move(*pack);
  }

  struct CheckedPlace {
    uint32_t catalogued_asset;
    uint32_t pack_asset;
  };

  static std::vector<std::vector<CheckedPlace>> places_by_pack(const runtime::Catalog& catalog) {
    std::vector<std::vector<CheckedPlace>> places(catalog.packs().size());
    for (uint32_t i = 0; i < catalog.assets().size(); ++i)
      for (const format::Place& place : catalog.places(catalog.assets()[i]))
        places[place.pack].push_back({i, place.asset});
    return places;
  }

  // Checks the catalog's statements about a pack's assets.
  void check_places(const runtime::Catalog& catalog, const std::vector<CheckedPlace>& places,
                    const Pack& pack, const std::string& file) {
    const bool agree = std::ranges::all_of(places, [&](const CheckedPlace& place) {
      const format::CatalogAsset& asset = catalog.assets()[place.catalogued_asset];
      return place.pack_asset < pack.assets().size() &&
             pack.assets()[place.pack_asset].path_hash == asset.path_hash &&
             pack.assets()[place.pack_asset].size_bytes == asset.size_bytes;
    });
    if (!agree)
      add({SKL_DAMAGED, file + ": expected the places of assets in " + pack.file().name() +
                            ", found others; pack again"},
          file);
  }

  // Plans a sweep of each scenario, and checks that it reads everything that the scenario needs.
  void check_scenarios(const std::string& file) {
    const auto set = runtime::PackSet::open(*io_, file);
    if (!set) return add(set.error(), file);
    for (const format::Scenario& scenario : (*set)->catalog()->scenarios())
      if (const auto plan = runtime::SweepPlan::make_whole(**set, &scenario); !plan)
        add(plan.error(), file);
  }

  const VerifyOptions& options_;
  const std::unique_ptr<runtime::FileIo> system_ = runtime::make_system_file_io();
  const runtime::FileIo* io_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify(const std::string& path, const VerifyOptions& options) {
  return SetVerifier(options).run(path);
}

}  // namespace seekless

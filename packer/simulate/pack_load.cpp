#include "packer/simulate/pack_load.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_set>

#include "packer/host/runtime_error.h"
#include "packer/simulate/internal/charged_file_io.h"
#include "runtime/asset_path.h"
#include "runtime/pack_set.h"
#include "runtime/read_asset.h"
#include "runtime/sweep.h"

namespace seekless {
namespace {

// This is enough for a pack of the largest blocks, compressed.
constexpr uint64_t kBudgetBytes = uint64_t{2} * format::kMaxBlockBytes;
// A larger asset is read in pieces. That costs the drive nothing, because the pieces follow one
// another.
constexpr uint64_t kPieceBytes = uint64_t{64} * 1024 * 1024;

Result<void> read_whole(const runtime::PlacedAsset& asset, std::vector<std::byte>& buffer) {
  const uint64_t size = asset.record().size_bytes;
  for (uint64_t at = 0; at < size; at += kPieceBytes) {
    const uint64_t piece = std::min(kPieceBytes, size - at);
    buffer.resize(std::max<size_t>(buffer.size(), piece));
    if (auto read = runtime::read_asset(asset, at, std::span(buffer).first(piece)); !read)
      return from_runtime(read.error());
  }
  return {};
}

uint32_t find_asset(const runtime::PackSet& set, const std::string& path) {
  return set.find(hash_asset_path(path, set.hash_seed(), set.folds_case()));
}

const format::Scenario* find_scenario(const runtime::PackSet& set, const std::string& name) {
  return set.catalog() != nullptr ? set.catalog()->find_scenario_or_typical(name) : nullptr;
}

bool is_in(const runtime::PackSet& set, const std::string& path) {
  return find_asset(set, path) != format::kEmptySlot;
}

// Holds a pack set and its drive, and charges the drive for reads.
class LoadedSet {
 public:
  LoadedSet(const PacksOnDrive& packs, const ReadAhead& read_ahead,
            const SimulationOptions& options)
      : packs_(packs),
        options_(options),
        drive_(packs.drive),
        io_(packs.io, drive_, read_ahead, packs.files, packs.positions,
            [this](uint64_t position, uint64_t length, double ms) {
              if (options_.keeps_moves)
                result.load.moves.push_back(
                    {(drive_.counters().busy_ms - ms) / 1000, position, length});
            }) {
    send_head_away(drive_);
  }

  Result<const runtime::PackSet*> open() {
    auto set = runtime::PackSet::open(io_, packs_.folder);
    if (!set) return from_runtime(set.error());
    set_ = std::move(*set);
    return set_.get();
  }

  void need(const runtime::PlacedAsset& asset) {
    const uint64_t bytes = asset.record().size_bytes;
    ++result.assets;
    if (bytes == 0) return;
    std::vector<DriveRead>& of_pack = needed_[asset.pack->file().name()];
    uint64_t begin = runtime::offset_in_block(asset.record());
    // Assets of equal content share one place.
    if (!counted_.emplace(&of_pack, asset.record().block, begin).second) return;
    result.load.needed_bytes += bytes;
    uint64_t end = begin + bytes;  // in decoded bytes, from the first block's beginning
    for (uint32_t block = asset.record().block; end > 0; ++block) {
      const format::Block& of = asset.pack->blocks()[block];
      const uint64_t last = std::min<uint64_t>(end, of.raw_bytes);
      of_pack.push_back(stored_place(*asset.pack, block, begin, last));
      begin = 0;
      end -= last;
    }
  }

  // Reads assets one by one, like a program that asks for each asset when it needs it.
  Result<void> ask(std::span<const std::string> paths) {
    io_.set_read_ahead(options_.read_ahead);
    std::vector<std::byte> buffer;
    for (const std::string& path : paths) {
      const uint32_t asset = find_asset(*set_, path);
      if (asset == format::kEmptySlot) {
        ++result.missing;
        continue;
      }
      const auto placed = set_->place(asset);
      if (!placed) return from_runtime(placed.error());
      SKL_TRY_DO(read_whole(*placed, buffer));
      need(*placed);
    }
    return {};
  }

  PackLoad finish() {
    result.load.cost = cost_of(drive_);
    std::vector<DriveRead> places;
    for (size_t i = 0; i < packs_.files.size(); ++i)
      if (const auto found = needed_.find(packs_.files[i].path); found != needed_.end())
        for (const DriveRead& each : each_once(std::move(found->second)))
          places.push_back({packs_.positions[i] + each.position_bytes, each.length_bytes});
    result.load.bound_seconds = bound_seconds_of(drive_, places);
    return std::move(result);
  }

  PackLoad result;

 private:
  // Returns the place on the drive of a part of a block: whole frames, even if only a little of
  // each is needed.
  static DriveRead stored_place(const runtime::Pack& pack, uint32_t block, uint64_t begin,
                                uint64_t end) {
    const uint64_t offset = pack.blocks()[block].offset_bytes;
    if (!pack.has_compressed_blocks()) return {offset + begin, end - begin};
    const auto frames = pack.frames_of(block);
    const format::Frame& first = frames[begin / pack.header().frame_bytes];
    const format::Frame& last = frames[(end - 1) / pack.header().frame_bytes];
    return {offset + first.offset_bytes,
            last.offset_bytes + last.stored_bytes - first.offset_bytes};
  }

  // Removes repetitions, because several assets in one frame need the frame only once.
  static std::vector<DriveRead> each_once(std::vector<DriveRead> reads) {
    std::ranges::sort(reads, {}, &DriveRead::position_bytes);
    std::vector<DriveRead> joined;
    for (const DriveRead& read : reads) {
      const uint64_t end = read.position_bytes + read.length_bytes;
      DriveRead* last = joined.empty() ? nullptr : &joined.back();
      if (last == nullptr || read.position_bytes > last->position_bytes + last->length_bytes)
        joined.push_back(read);
      else
        last->length_bytes = std::max(last->length_bytes, end - last->position_bytes);
    }
    return joined;
  }

  const PacksOnDrive& packs_;
  const SimulationOptions& options_;
  Drive drive_;
  ChargedFileIo io_;
  std::unique_ptr<runtime::PackSet> set_;
  std::map<std::string, std::vector<DriveRead>> needed_;           // pack file -> places in it
  std::set<std::tuple<const void*, uint32_t, uint64_t>> counted_;  // pack, block, offset in it
};

Result<void> sweep_all(const runtime::PackSet& set, const format::Scenario& scenario) {
  runtime::BlockPool pool(kBudgetBytes);
  const auto sweep = runtime::Sweep::open(set, &scenario, pool);
  if (!sweep) return from_runtime(sweep.error());
  for (;;) {
    runtime::SweptPiece piece;
    const auto answer = (*sweep)->next(piece);
    if (!answer) return from_runtime(answer.error());
    if (*answer != SKL_OK) return {};
    if (piece.buffer != nullptr) piece.buffer->release();
  }
}

}  // namespace

Result<std::vector<FileToPlace>> files_of_set(const runtime::FileIo& io,
                                              const std::string& folder) {
  const auto set = runtime::PackSet::open(io, folder);
  if (!set) return from_runtime(set.error());
  const runtime::Catalog* catalog = (*set)->catalog();
  if (catalog == nullptr || !io.is_folder(folder))
    return failed({.file = folder,
                   .expected = "a pack set, a folder with a catalog",
                   .found = "a file of one"});
  std::vector<FileToPlace> files = {{folder + "/" + runtime::kCatalogName, 0}};
  const auto catalog_file = io.open(files.front().path);
  if (!catalog_file) return from_runtime(catalog_file.error());
  files.front().size_bytes = (*catalog_file)->size_bytes();
  for (const format::CatalogPack& pack : catalog->packs())
    files.push_back({folder + "/" + std::string(catalog->name(pack)), pack.file_bytes});
  return files;
}

Result<std::set<std::string, std::less<>>> scenarios_of_set(const runtime::FileIo& io,
                                                            const std::string& folder) {
  const auto set = runtime::PackSet::open(io, folder);
  if (!set) return from_runtime(set.error());
  std::set<std::string, std::less<>> names;
  if (const runtime::Catalog* catalog = (*set)->catalog())
    for (const format::Scenario& scenario : catalog->scenarios())
      names.emplace(catalog->name(scenario));
  return names;
}

Result<std::vector<size_t>> assets_not_in_set(const runtime::FileIo& io, const std::string& folder,
                                              std::span<const std::string> paths) {
  const auto set = runtime::PackSet::open(io, folder);
  if (!set) return from_runtime(set.error());
  std::vector<size_t> missing;
  for (size_t i = 0; i < paths.size(); ++i)
    if (!is_in(**set, paths[i])) missing.push_back(i);
  return missing;
}

Result<PackLoad> simulate_sweep(const PacksOnDrive& packs, const std::string& scenario,
                                std::span<const std::string> paths,
                                const SimulationOptions& options) {
  LoadedSet load(packs, kNoReadAhead, options);
  const auto set = load.open();
  if (!set) return std::unexpected(set.error());
  const format::Scenario* found = find_scenario(**set, scenario);
  if (found == nullptr)
    return failed({.file = packs.folder,
                   .expected = "a pack set with scenario '" + scenario + "'",
                   .found = "none",
                   .advice = "plan and pack again with its trace"});
  (*set)->set_scenario(found);
  SKL_TRY_DO(sweep_all(**set, *found));
  const auto hash_of = [&](const std::string& path) {
    return hash_asset_path(path, (*set)->hash_seed(), (*set)->folds_case());
  };
  load.result.is_typical = (*set)->catalog()->name(*found) != scenario;
  std::unordered_set<uint64_t> wanted;  // path hashes, as in the next sets
  for (const std::string& path : paths) wanted.insert(hash_of(path));
  std::unordered_set<uint64_t> brought;
  for (const format::Need& need : (*set)->catalog()->needs(*found)) {
    const auto pack = (*set)->pack(need.pack);
    if (!pack) return from_runtime(pack.error());
    for (uint32_t i = 0; i < need.asset_count; ++i) {
      const runtime::PlacedAsset asset = {*pack, need.first_asset + i};
      const uint64_t hash = asset.record().path_hash;
      brought.insert(hash);
      if (!load.result.is_typical || wanted.contains(hash)) load.need(asset);
    }
  }
  std::vector<std::string> others(paths.begin(), paths.end());
  std::erase_if(others, [&](const std::string& path) { return brought.contains(hash_of(path)); });
  SKL_TRY_DO(load.ask(others));
  load.result.unswept = others.size() - load.result.missing;
  return load.finish();
}

Result<PackLoad> simulate_demand(const PacksOnDrive& packs, const std::string& scenario,
                                 std::span<const std::string> paths,
                                 const SimulationOptions& options) {
  LoadedSet load(packs, options.read_ahead, options);
  SKL_TRY(const auto set, load.open());
  set->set_scenario(find_scenario(*set, scenario));
  SKL_TRY_DO(load.ask(paths));
  return load.finish();
}

}  // namespace seekless

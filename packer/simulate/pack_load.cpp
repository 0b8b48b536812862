#include "packer/simulate/pack_load.h"

#include <algorithm>
#include <map>
#include <memory>

#include "packer/host/runtime_error.h"
#include "packer/simulate/charged_file_io.h"
#include "runtime/asset_path.h"
#include "runtime/pack_set.h"
#include "runtime/read_asset.h"
#include "runtime/sweep.h"

namespace seekless {
namespace {

// Enough for a pack of the largest blocks, compressed.
constexpr uint64_t kBudgetBytes = uint64_t{2} * format::kMaxBlockBytes;
// A larger asset is read in pieces, which costs the drive nothing: they follow each other.
constexpr uint64_t kPieceBytes = uint64_t{64} * 1024 * 1024;

// A pack set, its drive, and what is charged to it.
class Load {
 public:
  Load(const PacksOnDrive& packs, const ReadAhead& read_ahead, bool keeps_moves)
      : packs_(packs),
        drive_(packs.drive),
        io_(packs.io, drive_, read_ahead, packs.files, packs.positions,
            [this, keeps_moves](uint64_t position, uint64_t length, double ms) {
              if (keeps_moves)
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
    result.load.needed_bytes += bytes;
    if (bytes == 0) return;
    const uint64_t offset = asset.pack->blocks()[asset.record().block].offset_bytes;
    Needed& of_pack = needed_[asset.pack->file().name()];
    of_pack.offset_bytes = std::min(of_pack.offset_bytes, offset);
    of_pack.bytes += bytes;
  }

  PackLoad finish() {
    result.load.cost = cost_of(drive_);
    double bound_ms = drive_.average_access_ms();
    for (size_t i = 0; i < packs_.files.size(); ++i)
      if (const auto found = needed_.find(packs_.files[i].path); found != needed_.end())
        bound_ms +=
            drive_.sweep_ms(packs_.positions[i] + found->second.offset_bytes, found->second.bytes);
    result.load.bound_seconds = bound_ms / 1000;
    return std::move(result);
  }

  PackLoad result;

 private:
  struct Needed {
    uint64_t offset_bytes = UINT64_MAX;  // of the first block
    uint64_t bytes = 0;
  };

  const PacksOnDrive& packs_;
  Drive drive_;
  const ChargedFileIo io_;
  std::unique_ptr<runtime::PackSet> set_;
  std::map<std::string, Needed> needed_;  // by pack file
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

Result<PackLoad> simulate_sweep(const PacksOnDrive& packs, const std::string& scenario,
                                const SimulationOptions& options) {
  Load load(packs, kNoReadAhead, options.keeps_moves);
  const auto set = load.open();
  if (!set) return std::unexpected(set.error());
  const runtime::Catalog* catalog = (*set)->catalog();
  const format::Scenario* found = catalog != nullptr ? catalog->find_scenario(scenario) : nullptr;
  if (found == nullptr)
    return failed({.file = packs.folder,
                   .expected = "a pack set with scenario '" + scenario + "'",
                   .found = "none",
                   .advice = "plan and pack again with its trace"});
  if (auto swept = sweep_all(**set, *found); !swept) return std::unexpected(swept.error());
  for (const format::Place& place : catalog->needs(*found)) {
    const auto pack = (*set)->pack(place.pack);
    if (!pack) return from_runtime(pack.error());
    load.need({*pack, place.asset});
  }
  return load.finish();
}

Result<PackLoad> simulate_demand(const PacksOnDrive& packs, std::span<const std::string> paths,
                                 const SimulationOptions& options) {
  Load load(packs, options.read_ahead, options.keeps_moves);
  const auto set = load.open();
  if (!set) return std::unexpected(set.error());
  std::vector<std::byte> buffer;
  for (const std::string& path : paths) {
    const uint32_t asset =
        (*set)->find(hash_asset_path(path, (*set)->hash_seed(), (*set)->folds_case()));
    if (asset == format::kEmptySlot) {
      ++load.result.missing;
      continue;
    }
    const auto placed = (*set)->place(asset);
    if (!placed) return from_runtime(placed.error());
    if (auto read = read_whole(*placed, buffer); !read) return std::unexpected(read.error());
    load.need(*placed);
  }
  return load.finish();
}

}  // namespace seekless

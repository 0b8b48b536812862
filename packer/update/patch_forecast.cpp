#include "packer/update/patch_forecast.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "packer/base/hasher.h"
#include "packer/update/internal/block_match.h"
#include "runtime/catalog.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using Digest = format::ContentHash;

// Patching systems that cut files at fixed places use this grid: 1 MiB, as SteamPipe does.
constexpr uint64_t kGridBytes = 1024 * 1024;
// On average, new chunks reach this far into known bytes, before a change and after it. After a
// change it takes a few chunks until cuts are at the old places again. Measured with chunks of 8
// KiB.
constexpr uint64_t kReachBeforeBytes = 6 * 1024;
constexpr uint64_t kReachBehindBytes = 11 * 1024;
constexpr uint64_t kLeastReachBytes = 3 * 1024;
// Zeros are cut at the longest chunk, and all such chunks are equal.
constexpr uint64_t kMostZeroBytes = 64 * 1024;

// After zeros, the old cuts are found sooner, because the chunk that holds the zeros is already
// long.
uint64_t reach_behind(uint64_t zero_bytes) {
  return std::max(kLeastReachBytes, kReachBehindBytes - std::min(kReachBehindBytes, zero_bytes));
}

// Visits each chunk of the grid with its length and a digest of everything that its bytes depend
// on.
template <typename Visit>
void for_each_grid_chunk(const PackBytes& pack, const Heirs& heirs, Visit visit) {
  size_t first = 0;
  for (uint64_t begin = 0; begin < pack.end_bytes; begin += kGridBytes) {
    const uint64_t end = std::min(begin + kGridBytes, pack.end_bytes);
    Hasher128 hasher;
    const uint64_t length = end - begin;
    add_value(hasher, length);
    if (begin < pack.data_offset_bytes) {
      add_value(hasher, pack.tables);
      add_value(hasher, begin);
    }
    while (first < pack.pieces.size() && pack.pieces[first].end() <= begin) ++first;
    for (size_t i = first; i < pack.pieces.size() && pack.pieces[i].begin < end; ++i) {
      const Piece& piece = pack.pieces[i];
      // Two things matter: where the piece begins in the chunk, and which of its bytes lie there.
      const uint64_t offset = piece.begin - begin;
      add_value(hasher, offset);
      add_value(hasher,
                heirs.content_in(piece, std::max(begin, piece.begin), std::min(end, piece.end())));
    }
    visit(hasher.digest(), length);
  }
}

// A shorter asset hardly ever fills a whole chunk, so if its neighbours change it isn't found
// again.
constexpr uint64_t kLeastFoundBytes = 12 * 1024;

constexpr uint64_t kLongBytes = 32 * 1024;
constexpr uint64_t kLongReachBytes = 4 * 1024;

// Examines one new pack after the other. Content that an earlier pack also had costs nothing more.
class PatchForecaster {
 public:
  PatchForecaster(const LayoutLock& old, const KeptContent& kept) : old_(old), heirs_(kept) {
    size_t assets = 0;
    for (const LockedPack& pack : old.packs) assets += pack.assets.size();
    contents_.reserve(assets);
    joints_.reserve(assets);
    for (const LockedPack& pack : old.packs) {
      const PackBytes bytes = bytes_of(pack);
      for_each_grid_chunk(bytes, heirs_,
                          [this](const Digest& digest, uint64_t) { grid_.insert(digest); });
      for (size_t i = 0; i < bytes.pieces.size(); ++i) {
        contents_.push_back(bytes.pieces[i].hash);
        if (i > 0) joints_.push_back(joint(bytes.pieces[i - 1], bytes.pieces[i]));
      }
      old_bytes_ += bytes.end_bytes;
    }
    std::ranges::sort(contents_);
    std::ranges::sort(joints_);
  }

  uint64_t old_bytes() const { return old_bytes_; }

  ChangedFile add(const LaidPack& laid, const HashedContent& hashed, PatchForecast& forecast) {
    const PackBytes bytes = bytes_of(laid, hashed);
    const auto found = std::ranges::find(old_.packs, laid.name, &LockedPack::name);
    const PackBytes old = found == old_.packs.end() ? PackBytes() : bytes_of(*found);
    PackForecast& pack = forecast.packs.emplace_back(
        PackForecast{.name = laid.name, .file_bytes = bytes.end_bytes, .patch = {}});
    pack.is_changed = old.end_bytes == 0 || old.tables != bytes.tables;
    if (pack.is_changed) {
      for_each_grid_chunk(bytes, heirs_, [&](const Digest& digest, uint64_t size_bytes) {
        if (grid_.insert(digest).second) pack.patch.grid_bytes += size_bytes;
      });
      const uint64_t tables = old.end_bytes > 0 && old.names == bytes.names
                                  ? std::min(bytes.numbers_bytes, bytes.data_offset_bytes)
                                  : bytes.data_offset_bytes;
      pack.patch.chunk_bytes = chunk_bytes(bytes, tables);
      pack.patch.block_bytes = bytes.end_bytes;
      if (old.end_bytes > 0)
        pack.patch.block_bytes -=
            std::min(bytes.end_bytes, matched_block_bytes(old, bytes, heirs_));
      pack.patch.patch_bytes = tables + std::exchange(lost_bytes_, 0);
    }
    for (const Piece& piece : bytes.pieces) {
      if (is_known(piece.hash)) continue;
      new_contents_.insert(piece.hash);
      forecast.edited_bytes += piece.size_bytes;
      pack.patch.patch_bytes += fresh_bytes(piece);
    }
    if (pack.is_changed) charge(laid, bytes.end_bytes, hashed);
    return {laid.name + ".skl", old.end_bytes, bytes.end_bytes, pack.patch};
  }

  std::vector<CostlyAsset> costly_assets() const {
    std::vector<CostlyAsset> all;
    for (const auto& [path, asset] : costs_) all.push_back(asset);
    std::ranges::stable_sort(all, std::greater(), &CostlyAsset::written_bytes);
    all.resize(std::min(all.size(), kCostlyAssets));
    return all;
  }

 private:
  // Charges the writing of the whole pack to the assets that are new in it.
  void charge(const LaidPack& laid, uint64_t file_bytes, const HashedContent& hashed) {
    const auto is_fresh = [&](const LaidAsset& asset) {
      return asset.size_bytes > 0 &&
             !std::ranges::binary_search(contents_, hashed.hash_of(asset.path));
    };
    double sum = 0;
    for (const LaidAsset& asset : laid.assets)
      if (is_fresh(asset)) sum += static_cast<double>(asset.size_bytes);
    for (const LaidAsset& asset : laid.assets) {
      if (!is_fresh(asset)) continue;
      CostlyAsset& cost = costs_[std::string(asset.path)];
      cost.path = std::string(asset.path);
      cost.size_bytes = asset.size_bytes;
      cost.written_bytes += static_cast<uint64_t>(static_cast<double>(file_bytes) *
                                                  static_cast<double>(asset.size_bytes) / sum);
    }
  }

  bool is_known(const Digest& content) const {
    return std::ranges::binary_search(contents_, content) || new_contents_.contains(content);
  }

  // Identifies two adjacent pieces: a chunk across both is known if they were adjacent before. An
  // edited piece counts as its old content if it keeps the part that lies in such a chunk.
  uint64_t joint(const Piece& left, const Piece& right) const {
    Hasher64 hasher;
    const uint64_t gap_bytes = right.begin - left.end();
    const KeptBytes* of_left = heirs_.of(left.hash);
    const KeptBytes* of_right = heirs_.of(right.hash);
    const bool keeps_end = of_left != nullptr && of_left->back_bytes >= kReachBeforeBytes;
    const bool keeps_begin =
        of_right != nullptr && of_right->front_bytes >= reach_behind(gap_bytes);
    add_value(hasher, keeps_end ? of_left->old_hash : left.hash);
    add_value(hasher, keeps_begin ? of_right->old_hash : right.hash);
    add_value(hasher, gap_bytes);
    return hasher.digest();
  }
  bool is_new(uint64_t joint) {
    return !std::ranges::binary_search(joints_, joint) && new_joints_.insert(joint).second;
  }

  // Returns the new bytes between the front and the end that the piece keeps.
  uint64_t fresh_bytes(const Piece& piece) const {
    const KeptBytes* kept = heirs_.of(piece.hash);
    return kept == nullptr ? piece.size_bytes
                           : piece.size_bytes - kept->front_bytes - kept->back_bytes;
  }

  // Counts the union of all new ranges, each extended by the length that chunks reach beyond it.
  uint64_t chunk_bytes(const PackBytes& bytes, uint64_t table_bytes) {
    uint64_t sum = 0;
    uint64_t end = 0;
    const auto add = [&](uint64_t from, uint64_t to) {
      from = std::max(from, end);
      to = std::min(to, bytes.end_bytes);
      if (to <= from) return;
      sum += to - from;
      end = to;
    };
    // Zeros follow the names, as room for more names.
    add(0, table_bytes + kLeastReachBytes);
    const Piece* left = nullptr;
    bool was_new = false;
    for (const Piece& piece : bytes.pieces) {
      const bool is_new_joint = left != nullptr && is_new(joint(*left, piece));
      if (is_new_joint && was_new && left->size_bytes < kLeastFoundBytes && is_known(left->hash))
        lost_bytes_ += left->size_bytes;
      was_new = is_new_joint;
      if (is_new_joint) {
        const uint64_t gap = piece.begin - left->end();
        // In a long row of zeros, the longest chunks are the same everywhere, except for the last
        // one.
        const uint64_t zeros = std::min(gap, kMostZeroBytes);
        add(left->end() - std::min(left->end(), kReachBeforeBytes), left->end() + zeros);
        add(piece.begin - std::min(gap - zeros, kMostZeroBytes / 2),
            piece.begin + reach_into(piece, gap));
      }
      if (!is_known(piece.hash)) add_fresh(piece, add);
      left = &piece;
    }
    return sum;
  }

  // In a long asset, cuts fall on the old boundaries again only after twice the mean length; this
  // was measured like reach_behind().
  static uint64_t reach_into(const Piece& piece, uint64_t zero_bytes) {
    const uint64_t more = piece.size_bytes >= kLongBytes ? kLongReachBytes : 0;
    return reach_behind(zero_bytes) + more - std::min(more, zero_bytes);
  }

  void add_fresh(const Piece& piece, const auto& add) const {
    const KeptBytes* kept = heirs_.of(piece.hash);
    if (kept == nullptr) return add(piece.begin, piece.end());
    // The piece's new chunks lie around its new bytes, and reach beyond them.
    const uint64_t most = piece.size_bytes - kept->fresh_chunk_bytes;
    const uint64_t begin = piece.begin + std::min(kept->front_bytes, most);
    add(begin, begin + kept->fresh_chunk_bytes);
  }

  const LayoutLock& old_;
  const Heirs heirs_;
  std::map<std::string, CostlyAsset> costs_;  // keyed by path
  uint64_t old_bytes_ = 0;
  std::set<Digest> grid_;          // chunks of the old packs, and of the new ones so far
  std::vector<Digest> contents_;   // contents of the old packs, sorted
  std::vector<uint64_t> joints_;   // joints of the old packs, sorted hashes
  std::set<Digest> new_contents_;  // contents of the new packs so far
  std::unordered_set<uint64_t> new_joints_;
  // Known bytes of the current pack that don't fill a whole chunk.
  uint64_t lost_bytes_ = 0;
};

// The catalog is one table: any change in it also changes checksums throughout. A scenario's ranges
// count as one for each pack that it reads.
uint64_t catalog_bytes(const Layout& layout, size_t content_assets) {
  uint64_t places = 0;
  uint64_t needs = 0;
  uint64_t ranges = 0;
  for (const LaidPack& pack : layout.packs) {
    places += pack.assets.size();
    std::set<uint32_t> sets;
    std::span<const uint32_t> before;
    for (const LaidAsset& asset : pack.assets) {
      const std::span<const uint32_t> readers = layout.scenario_sets[asset.scenario_set];
      needs += static_cast<uint64_t>(std::ranges::count_if(
          readers, [&](uint32_t reader) { return !std::ranges::binary_search(before, reader); }));
      before = readers;
      sets.insert(asset.scenario_set);
    }
    std::set<uint32_t> readers;
    for (const uint32_t set : sets)
      readers.insert(layout.scenario_sets[set].begin(), layout.scenario_sets[set].end());
    ranges += readers.size();
  }
  const uint64_t assets = std::min<uint64_t>(places, content_assets);
  return sizeof(format::Header) + layout.packs.size() * sizeof(format::CatalogPack) +
         assets * (sizeof(format::CatalogAsset) + sizeof(format::Slot) * 4 / 3) +
         places * sizeof(format::Place) + layout.scenarios.size() * sizeof(format::Scenario) +
         ranges * sizeof(format::Range) + needs * sizeof(format::Need);
}

// Returns true if content of a kept pack became dead, which changes the catalog.
bool is_less(const LaidPack& pack, const LayoutLock& old) {
  const auto before = std::ranges::find(old.packs, pack.name, &LockedPack::name);
  return before == old.packs.end() || before->dead.size() != pack.dead.size();
}

bool same_scenarios(const LayoutLock& old, const Layout& now) {
  return old.scenario_sets == now.scenario_sets &&
         old.read_through_bytes == now.read_through_bytes && old.packs.size() == now.packs.size() &&
         std::ranges::equal(old.scenarios, now.scenarios, {}, &LaidScenario::name,
                            &LaidScenario::name);
}

}  // namespace

PatchBytes PatchForecast::total() const {
  PatchBytes total = catalog;
  for (const PackForecast& pack : packs) total += pack.patch;
  return total;
}

PatchForecast predict_patch(const LayoutLock& old, const Layout& now, const HashedContent& hashed,
                            const KeptContent& kept) {
  PatchForecast forecast;
  PatchForecaster forecaster(old, kept);
  bool is_changed = !same_scenarios(old, now);
  for (const LaidPack& pack : now.packs) {
    if (pack.pack_id) {
      forecast.packs.push_back({.name = pack.name,
                                .file_bytes = bytes_of(pack, hashed).end_bytes,
                                .stays_as = pack.pack_id,
                                .patch = {}});
      is_changed = is_changed || is_less(pack, old);
      continue;
    }
    ChangedFile file = forecaster.add(pack, hashed, forecast);
    if (!forecast.packs.back().is_changed) continue;
    is_changed = true;
    forecast.change.changed.push_back(std::move(file));
  }
  forecast.assets = forecaster.costly_assets();
  if (!is_changed) return forecast;
  // The old catalog is assumed to be about as large.
  const uint64_t catalog = catalog_bytes(now, hashed.content().assets.size());
  forecast.catalog = {catalog, catalog, catalog, catalog};
  forecast.change.changed.push_back({runtime::kCatalogName, catalog, catalog, forecast.catalog});
  forecast.change.old_bytes = forecaster.old_bytes() + catalog;
  return forecast;
}

}  // namespace seekless

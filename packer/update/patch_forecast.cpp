#include "packer/update/patch_forecast.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "packer/host/hasher.h"
#include "packer/keep/patch_layout.h"
#include "packer/keep/patch_price.h"
#include "runtime/catalog.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using format::kPageBytes;
using format::round_up;

// A part of a pack: content, known by its hash, between zeros.
struct Piece {
  uint64_t begin = 0;  // in the file
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};

  uint64_t end() const { return begin + size_bytes; }
};

// A pack, as far as its bytes are known before it is written.
struct PackBytes {
  uint64_t data_offset_bytes = 0;
  uint64_t end_bytes = 0;
  uint64_t numbers_bytes = 0;       // of the tables but for the names, which follow
  format::ContentHash tables = {};  // of all that decides them
  format::ContentHash names = {};   // of all that decides names and slots
  std::vector<Piece> pieces;        // by place; equal content once
};

// An asset in a pack, without the hash of its content.
struct Row {
  std::string_view path;
  uint64_t size_bytes = 0;
  PlaceInPack place;
  uint32_t alignment_bytes = 0;
};

// Of a pack with so many assets. `row_of(i)` and `hash_of(i)` tell of each; they are asked instead
// of kept, as there may be a million.
template <typename RowOf, typename HashOf>
PackBytes bytes_of(uint64_t data_offset_bytes, std::span<const uint32_t> block_raw_bytes,
                   size_t assets, RowOf row_of, HashOf hash_of) {
  Hasher128 tables;
  Hasher128 names;
  std::vector<uint64_t> block_begins = {data_offset_bytes};
  block_begins.reserve(block_raw_bytes.size() + 1);
  for (const uint32_t raw_bytes : block_raw_bytes) {
    block_begins.push_back(block_begins.back() + round_up(raw_bytes, kPageBytes));
    add_value(tables, raw_bytes);
  }
  std::vector<uint32_t> order(assets);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) {
    const Row row = row_of(i);
    return std::tuple(row.place, row.size_bytes > 0, row.path);
  });
  PackBytes bytes = {.data_offset_bytes = data_offset_bytes,
                     .end_bytes = block_begins.back(),
                     .numbers_bytes = table_room_bytes(assets, 0, block_raw_bytes.size())};
  bytes.pieces.reserve(assets);
  for (const uint32_t i : order) {
    const Row row = row_of(i);
    const format::ContentHash& hash = hash_of(i);
    add_text(tables, row.path);
    add_text(names, row.path);
    add_value(tables, row.size_bytes);
    add_value(tables, row.place);
    add_value(tables, row.alignment_bytes);
    add_value(tables, hash);
    const uint64_t begin = block_begins[row.place.block] + row.place.offset_bytes;
    if (row.size_bytes > 0 && (bytes.pieces.empty() || bytes.pieces.back().begin != begin))
      bytes.pieces.push_back({begin, row.size_bytes, hash});
  }
  bytes.tables = tables.digest();
  bytes.names = names.digest();
  return bytes;
}

// With what is dead in it: players have that, too.
PackBytes bytes_of(const LockedPack& pack) {
  const auto asset_of = [&](uint32_t i) -> const LockedAsset& {
    return i < pack.assets.size() ? pack.assets[i] : pack.dead[i - pack.assets.size()];
  };
  const auto row_of = [&](uint32_t i) {
    const LockedAsset& asset = asset_of(i);
    return Row{asset.path, asset.size_bytes, asset.place, asset.alignment_bytes};
  };
  const auto hash_of = [&](uint32_t i) -> const format::ContentHash& { return asset_of(i).hash; };
  return bytes_of(pack.data_offset_bytes, pack.block_raw_bytes,
                  pack.assets.size() + pack.dead.size(), row_of, hash_of);
}

PackBytes bytes_of(const LaidPack& pack, const HashedContent& hashed) {
  const auto row_of = [&](uint32_t i) {
    const LaidAsset& asset = pack.assets[i];
    return Row{asset.path, asset.size_bytes, pack.places->assets[i], asset.alignment_bytes};
  };
  const auto hash_of = [&](uint32_t i) -> const format::ContentHash& {
    return hashed.hash_of(pack.assets[i].path);
  };
  return bytes_of(pack.places->data_offset_bytes, pack.places->block_raw_bytes, pack.assets.size(),
                  row_of, hash_of);
}

using Digest = format::ContentHash;

// What edited contents keep of those that they were.
class Heirs {
 public:
  explicit Heirs(const KeptContent& kept) : kept_(kept) {}

  // What lies in the bytes from `begin` to `end` of the piece: the old content, if they are its.
  const Digest& content_in(const Piece& piece, uint64_t begin, uint64_t end) const {
    const auto found = kept_.find(piece.hash);
    if (found == kept_.end()) return piece.hash;
    return end - piece.begin <= found->second.front_bytes && begin >= piece.begin
               ? found->second.old_hash
               : piece.hash;
  }
  const KeptBytes* of(const Digest& content) const {
    const auto found = kept_.find(content);
    return found == kept_.end() ? nullptr : &found->second;
  }

 private:
  const KeptContent& kept_;
};

// What decides the bytes of each chunk of the grid, and how long it is.
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
      // Both where it begins in the chunk, and which of its bytes lie there.
      const uint64_t offset = piece.begin - begin;
      add_value(hasher, offset);
      add_value(hasher,
                heirs.content_in(piece, std::max(begin, piece.begin), std::min(end, piece.end())));
    }
    visit(hasher.digest(), length);
  }
}

// How many bytes of whole blocks of the old pack the new one has, wherever: of pieces that lie to
// each other as they did, with the zeros between them.
class BlockMatch {
 public:
  BlockMatch(const PackBytes& old, const PackBytes& now, const Heirs& heirs)
      : old_(old), now_(now), heirs_(heirs), block_bytes_(block_bytes_of(old.end_bytes)) {
    for (uint32_t i = 0; i < old.pieces.size(); ++i) places_.emplace_back(old.pieces[i].hash, i);
    std::ranges::sort(places_);
  }

  uint64_t bytes() {
    for (size_t i = 0; i < now_.pieces.size(); ++i) {
      const Piece& piece = now_.pieces[i];
      const uint64_t gap =
          piece.begin - (i == 0 ? now_.data_offset_bytes : now_.pieces[i - 1].end());
      const KeptBytes* kept = heirs_.of(piece.hash);
      if (const Piece* same = find(piece.hash)) {
        add(*same, 0, piece.begin, piece.size_bytes, gap);
      } else if (const Piece* before = kept == nullptr ? nullptr : find(kept->old_hash)) {
        add(*before, 0, piece.begin, kept->front_bytes, gap);
        end_run(0);
        add(*before, before->size_bytes - kept->back_bytes, piece.end() - kept->back_bytes,
            kept->back_bytes, 0);
      } else {
        end_run(gap);
      }
    }
    end_run(0);
    return matched_;
  }

 private:
  const Piece* find(const Digest& content) const {
    const auto at = std::ranges::lower_bound(places_, content, {}, &Place::first);
    return at == places_.end() || at->first != content ? nullptr : &old_.pieces[at->second];
  }

  // The zeros after a place where a piece of the old pack ends.
  uint64_t gap_after(uint64_t end) const {
    const auto next = std::ranges::lower_bound(old_.pieces, end, {}, &Piece::begin);
    return next == old_.pieces.end() ? old_.end_bytes - end : next->begin - end;
  }

  // The zeros in front of a piece of the old pack.
  uint64_t gap_before(const Piece& piece) const {
    const auto index = static_cast<size_t>(&piece - old_.pieces.data());
    return piece.begin - (index == 0 ? old_.data_offset_bytes : old_.pieces[index - 1].end());
  }

  // The new pack has `length` bytes of the old piece at `begin`, after `gap` zeros.
  void add(const Piece& old, uint64_t offset, uint64_t begin, uint64_t length, uint64_t gap) {
    if (length == 0) return;
    const uint64_t old_begin = old.begin + offset;
    const uint64_t zeros = offset == 0 ? std::min(gap, gap_before(old)) : 0;
    const bool goes_on = run_end_ > 0 && old_begin >= run_end_ && old_begin - run_end_ == gap &&
                         begin - old_begin == shift_ && (offset > 0 || gap == zeros);
    if (!goes_on) {
      end_run(gap);
      shift_ = begin - old_begin;
      run_begin_ = old_begin - (gap < 2 * block_bytes_ ? zeros : 0);
    }
    run_end_ = old_begin + length;
  }

  // Before `gap` zeros of the new pack. Where they are many, they have blocks of zeros alone.
  void end_run(uint64_t gap) {
    const bool has_zero_blocks = gap >= 2 * block_bytes_;
    if (has_zero_blocks) matched_ += gap / block_bytes_ * block_bytes_;
    if (run_end_ == 0) return;
    const uint64_t zeros = has_zero_blocks ? 0 : std::min(gap, gap_after(run_end_));
    const uint64_t first = (run_begin_ + block_bytes_ - 1) / block_bytes_;
    const uint64_t last = (run_end_ + zeros) / block_bytes_;
    if (last > first) matched_ += (last - first) * block_bytes_;
    run_begin_ = run_end_ = 0;
  }

  using Place = std::pair<Digest, uint32_t>;

  const PackBytes& old_;
  const PackBytes& now_;
  const Heirs& heirs_;
  const uint64_t block_bytes_;
  std::vector<Place> places_;  // sorted
  uint64_t run_begin_ = 0;     // in the old pack
  uint64_t run_end_ = 0;
  uint64_t shift_ = 0;  // of the new pack against the old; wraps
  uint64_t matched_ = 0;
};

// A shorter asset that lies between others than before has hardly ever a whole chunk of its own.
constexpr uint64_t kLeastFoundBytes = 12 * 1024;

constexpr uint64_t kLongBytes = 32 * 1024;
constexpr uint64_t kLongReachBytes = 4 * 1024;

// Looks at one new pack after the other; what a pack before had as well costs nothing more.
class Forecaster {
 public:
  Forecaster(const LayoutLock& old, const KeptContent& kept) : old_(old), heirs_(kept) {
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
        pack.patch.block_bytes -= std::min(bytes.end_bytes, BlockMatch(old, bytes, heirs_).bytes());
      pack.patch.patch_bytes = tables + std::exchange(lost_bytes_, 0);
    }
    for (const Piece& piece : bytes.pieces) {
      if (is_known(piece.hash)) continue;
      new_contents_.insert(piece.hash);
      forecast.edited_bytes += piece.size_bytes;
      pack.patch.patch_bytes += fresh_bytes(piece);
    }
    return {laid.name + ".skl", old.end_bytes, bytes.end_bytes, pack.patch};
  }

 private:
  bool is_known(const Digest& content) const {
    return std::ranges::binary_search(contents_, content) || new_contents_.contains(content);
  }

  // Of two pieces side by side: a chunk across both is known if they lay so before. An edited one
  // counts as what it was if it keeps what such a chunk has of it.
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

  // Of new content, between what it keeps.
  uint64_t fresh_bytes(const Piece& piece) const {
    const KeptBytes* kept = heirs_.of(piece.hash);
    return kept == nullptr ? piece.size_bytes
                           : piece.size_bytes - kept->front_bytes - kept->back_bytes;
  }

  // The union of what is new, each with what chunks reach beyond it.
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
    // After the names is room for more of them: zeros.
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
        // In a long row of zeros the longest chunks are the same everywhere, but for the last.
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

  // A long asset is cut as before only after twice the mean; measured, as reach_behind() is.
  static uint64_t reach_into(const Piece& piece, uint64_t zero_bytes) {
    const uint64_t more = piece.size_bytes >= kLongBytes ? kLongReachBytes : 0;
    return reach_behind(zero_bytes) + more - std::min(more, zero_bytes);
  }

  void add_fresh(const Piece& piece, const auto& add) const {
    const KeptBytes* kept = heirs_.of(piece.hash);
    if (kept == nullptr) return add(piece.begin, piece.end());
    // Its new chunks are about the run that is new, and reach beyond it.
    const uint64_t most = piece.size_bytes - kept->fresh_chunk_bytes;
    const uint64_t begin = piece.begin + std::min(kept->front_bytes, most);
    add(begin, begin + kept->fresh_chunk_bytes);
  }

  const LayoutLock& old_;
  const Heirs heirs_;
  uint64_t old_bytes_ = 0;
  std::set<Digest> grid_;          // of the old packs, and of the new ones so far
  std::vector<Digest> contents_;   // of the old packs, sorted
  std::vector<uint64_t> joints_;   // likewise, hashes
  std::set<Digest> new_contents_;  // of the new packs so far
  std::unordered_set<uint64_t> new_joints_;
  uint64_t lost_bytes_ = 0;  // of the pack that is looked at: known, but in no chunk of its own
};

// The catalog is one table: if anything in it changes, so do checksums throughout. The ranges of
// scenarios are taken as one for each pack that they read.
uint64_t catalog_bytes(const Layout& layout, size_t content_assets) {
  uint64_t places = 0;
  uint64_t needs = 0;
  uint64_t ranges = 0;
  for (const LaidPack& pack : layout.packs) {
    places += pack.assets.size();
    std::set<uint32_t> sets;
    for (const LaidAsset& asset : pack.assets) {
      needs += layout.scenario_sets[asset.scenario_set].size();
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
         ranges * sizeof(format::Range) + needs * sizeof(format::Place);
}

// Whether a pack that stays has something dead that wasn't before: then the catalog changes.
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
  Forecaster forecaster(old, kept);
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
  if (!is_changed) return forecast;
  // The old catalog is about as large.
  const uint64_t catalog = catalog_bytes(now, hashed.content().assets.size());
  forecast.catalog = {catalog, catalog, catalog, catalog};
  forecast.change.changed.push_back({runtime::kCatalogName, catalog, catalog, forecast.catalog});
  forecast.change.old_bytes = forecaster.old_bytes() + catalog;
  return forecast;
}

}  // namespace seekless

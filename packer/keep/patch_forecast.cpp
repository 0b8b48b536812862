#include "packer/keep/patch_forecast.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "packer/host/hasher.h"
#include "packer/keep/patch_layout.h"
#include "packer/keep/patch_price.h"
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

PackBytes bytes_of(const LockedPack& pack) {
  const auto row_of = [&](uint32_t i) {
    const LockedAsset& asset = pack.assets[i];
    return Row{asset.path, asset.size_bytes, asset.place, asset.alignment_bytes};
  };
  const auto hash_of = [&](uint32_t i) -> const format::ContentHash& {
    return pack.assets[i].hash;
  };
  return bytes_of(pack.data_offset_bytes, pack.block_raw_bytes, pack.assets.size(), row_of,
                  hash_of);
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

// What decides the bytes of each chunk of the grid, and how long it is.
template <typename Visit>
void for_each_grid_chunk(const PackBytes& pack, Visit visit) {
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
    while (first < pack.pieces.size() &&
           pack.pieces[first].begin + pack.pieces[first].size_bytes <= begin)
      ++first;
    for (size_t i = first; i < pack.pieces.size() && pack.pieces[i].begin < end; ++i) {
      const Piece& piece = pack.pieces[i];
      // Both where it begins in the chunk, and which of its bytes lie there.
      const uint64_t offset = piece.begin - begin;
      add_value(hasher, offset);
      add_value(hasher, piece.hash);
    }
    visit(hasher.digest(), length);
  }
}

class Forecaster {
 public:
  explicit Forecaster(const LayoutLock& old) {
    size_t assets = 0;
    for (const LockedPack& pack : old.packs) assets += pack.assets.size();
    contents_.reserve(assets);
    joints_.reserve(assets);
    for (const LockedPack& pack : old.packs) {
      const PackBytes bytes = bytes_of(pack);
      tables_[pack.name] = {bytes.tables, bytes.names};
      for_each_grid_chunk(bytes, [this](const Digest& digest, uint64_t) { grid_.insert(digest); });
      for (size_t i = 0; i < bytes.pieces.size(); ++i) {
        contents_.push_back(bytes.pieces[i].hash);
        if (i > 0) joints_.push_back(joint(bytes.pieces[i - 1], bytes.pieces[i]));
      }
    }
    std::ranges::sort(contents_);
    std::ranges::sort(joints_);
  }

  PackForecast pack(const std::string& name, const PackBytes& bytes, uint64_t& edited_bytes) const {
    PackForecast forecast = {.name = name, .file_bytes = bytes.end_bytes, .patch = {}};
    for (const Piece& piece : bytes.pieces)
      if (!is_known(piece)) edited_bytes += piece.size_bytes;
    const auto known = tables_.find(name);
    if (known != tables_.end() && known->second.all == bytes.tables) return forecast;
    for_each_grid_chunk(bytes, [&](const Digest& digest, uint64_t size_bytes) {
      if (!grid_.contains(digest)) forecast.patch.grid_bytes += size_bytes;
    });
    const bool has_same_names = known != tables_.end() && known->second.names == bytes.names;
    forecast.patch.chunk_bytes = chunk_bytes(bytes, has_same_names);
    return forecast;
  }

 private:
  struct TableDigests {
    Digest all;
    Digest names;
  };

  bool is_known(const Piece& piece) const {
    return std::ranges::binary_search(contents_, piece.hash);
  }

  // Of two pieces side by side: a chunk across both is known if they lay so before.
  static uint64_t joint(const Piece& left, const Piece& right) {
    Hasher64 hasher;
    const uint64_t gap_bytes = right.begin - left.begin - left.size_bytes;
    add_value(hasher, left.hash);
    add_value(hasher, right.hash);
    add_value(hasher, gap_bytes);
    return hasher.digest();
  }

  // The union of what is new, each with what chunks reach beyond it.
  uint64_t chunk_bytes(const PackBytes& bytes, bool has_same_names) const {
    uint64_t sum = 0;
    uint64_t end = 0;
    const auto add = [&](uint64_t from, uint64_t to) {
      from = std::max(from, end);
      to = std::min(to, bytes.end_bytes);
      if (to <= from) return;
      sum += to - from;
      end = to;
    };
    // After the names is room for more of them.
    add(0, std::min(has_same_names ? bytes.numbers_bytes : bytes.data_offset_bytes,
                    bytes.data_offset_bytes) +
               reach_behind(0));
    const Piece* left = nullptr;
    for (const Piece& piece : bytes.pieces) {
      if (left != nullptr && !std::ranges::binary_search(joints_, joint(*left, piece))) {
        const uint64_t left_end = left->begin + left->size_bytes;
        const uint64_t gap = piece.begin - left_end;
        // In a long row of zeros the longest chunks are the same everywhere, but for the last.
        const uint64_t zeros = std::min(gap, kMostZeroBytes);
        add(left_end - std::min(left_end, kReachBeforeBytes), left_end + zeros);
        add(piece.begin - std::min(gap - zeros, kMostZeroBytes / 2),
            piece.begin + reach_behind(gap));
      }
      if (!is_known(piece)) add(piece.begin, piece.begin + piece.size_bytes);
      left = &piece;
    }
    return sum;
  }

  std::map<std::string, TableDigests> tables_;  // by pack
  std::set<Digest> grid_;
  std::vector<format::ContentHash> contents_;  // sorted
  std::vector<uint64_t> joints_;               // sorted hashes
};

// The catalog is one table: if anything in it changes, so do checksums throughout.
uint64_t catalog_bytes(const Layout& layout) {
  uint64_t places = 0;
  uint64_t needs = 0;
  for (const LaidPack& pack : layout.packs) {
    places += pack.assets.size();
    for (const LaidAsset& asset : pack.assets)
      needs += layout.scenario_sets[asset.scenario_set].size();
  }
  return sizeof(format::Header) + layout.packs.size() * sizeof(format::CatalogPack) +
         places *
             (sizeof(format::CatalogAsset) + sizeof(format::Slot) * 4 / 3 + sizeof(format::Place)) +
         layout.scenarios.size() * (sizeof(format::Scenario) + sizeof(format::Range)) +
         needs * sizeof(format::Place);
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

PatchBytes& PatchBytes::operator+=(const PatchBytes& other) {
  grid_bytes += other.grid_bytes;
  chunk_bytes += other.chunk_bytes;
  return *this;
}

PatchBytes PatchForecast::total() const {
  PatchBytes total = catalog;
  for (const PackForecast& pack : packs) total += pack.patch;
  return total;
}

PatchForecast predict_patch(const LayoutLock& old, const Layout& now, const HashedContent& hashed) {
  PatchForecast forecast;
  const Forecaster forecaster(old);
  bool is_changed = !same_scenarios(old, now);
  for (const LaidPack& pack : now.packs) {
    if (pack.pack_id) {
      forecast.packs.push_back({pack.name, bytes_of(pack, hashed).end_bytes, {}});
      is_changed = is_changed || is_less(pack, old);
      continue;
    }
    forecast.packs.push_back(
        forecaster.pack(pack.name, bytes_of(pack, hashed), forecast.edited_bytes));
    is_changed = is_changed || forecast.packs.back().patch != PatchBytes();
  }
  if (is_changed) forecast.catalog = {catalog_bytes(now), catalog_bytes(now)};
  return forecast;
}

}  // namespace seekless

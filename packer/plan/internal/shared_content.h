// What several scenarios read, and how the common pack and the copies in sub-packs may serve them:
// the problem, a solution, and what that costs. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/layout/placement.h"
#include "packer/plan/internal/read_costs.h"
#include "runtime/pack_format.h"

namespace seekless {

// That each asset takes up in the catalog, and each pack's copy of it, needs aside. Every load
// reads all of it.
constexpr uint64_t kCatalogBytesPerAsset =
    sizeof(format::CatalogAsset) + sizeof(format::Slot) * 4 / 3;
constexpr uint64_t kCatalogBytesPerPlace = sizeof(format::Place);

// What may be said of an atom beside its bytes and readers.
struct AtomTraits {
  uint32_t assets = 1;  // how many it consists of
  bool may_copy = true;
  uint64_t rewritten_bytes = 0;  // that updates are expected to write for each copy
};

// Assets that the same scenarios read (an atom each), and who they are. Atoms are numbered from 0;
// each (atom, reader) has a slot, those of an atom side by side.
struct SharedContent {
  std::vector<uint64_t> atom_bytes;
  // By atom: bytes that a copy of it is priced as. Its own, and what updates write for it.
  std::vector<uint64_t> priced_bytes;
  std::vector<uint32_t> atom_assets;  // by atom: how many it consists of
  std::vector<uint32_t> first_slot;   // by atom, and one more: where the last one's end
  std::vector<uint32_t> readers;      // by slot: a scenario; rising within an atom, two or more
  std::vector<uint8_t> may_copy;      // by atom
  std::vector<double> weights;        // by scenario, 0 or more: how much its seconds count
  std::vector<uint8_t> has_own;       // by scenario: its sub-pack is read in any case
  ReadCosts costs;
  uint32_t block_bytes = format::kDefaultBlockBytes;  // at the most

  // That an atom takes up in the common pack. One that is as large as the smallest block is filled
  // up to the end of its page; a smaller one shares a block, and its part of half a page.
  uint64_t laid_bytes(uint32_t atom) const {
    const uint64_t bytes = atom_bytes[atom];
    return bytes < kLeastBlockBytes ? bytes + bytes * (format::kPageBytes / 2) / kLeastBlockBytes
                                    : format::round_up(bytes, format::kPageBytes);
  }
  // For searches that take atoms to share no blocks: a jump's with what is read beside small ones.
  ReadCosts costs_with_sharing() const;
  // Of its reader's time, for what lies behind it in its last page.
  double padding_s(uint32_t atom) const {
    return costs.read_s(laid_bytes(atom) - atom_bytes[atom]);
  }

  // That each copy of it adds to the catalog.
  uint64_t catalog_bytes(uint32_t atom) const { return kCatalogBytesPerPlace * atom_assets[atom]; }
  uint32_t atom_count() const { return static_cast<uint32_t>(atom_bytes.size()); }
  uint32_t scenario_count() const { return static_cast<uint32_t>(weights.size()); }
  std::span<const uint32_t> readers_of(uint32_t atom) const {
    return std::span(readers).subspan(first_slot[atom], first_slot[atom + 1] - first_slot[atom]);
  }
  void add_atom(uint64_t bytes, std::span<const uint32_t> atom_readers,
                const AtomTraits& traits = {});
};

// A reader of an atom reads the common pack's copy, or one of its own in its sub-pack. Those that
// nobody reads from the common pack lie at its end: who was never recorded finds them there, side
// by side.
struct Arrangement {
  std::vector<uint32_t> order;  // all atoms, as they lie in the common pack
  std::vector<uint8_t> is_own;  // by slot: the reader has a copy of its own
};

// All in the common pack, in the order of their numbers.
Arrangement plain_arrangement(const SharedContent& content);

// Bytes that the packs hold more than once, and what they are priced as.
struct CopiedBytes {
  uint64_t bytes = 0;
  uint64_t priced_bytes = 0;
};
CopiedBytes copies_in(const SharedContent& content, const Arrangement& arrangement);
uint64_t copied_bytes(const SharedContent& content, const Arrangement& arrangement);

// Adds up an arrangement's cost. Holds buffers, so that thousands can be tried.
class ArrangementCost {
 public:
  // `content` must outlive it.
  explicit ArrangementCost(const SharedContent& content);

  // Seconds of all scenarios, each times its weight, beyond the time for the bytes they need
  // (which no arrangement changes). A scenario that reads the common pack jumps to its tables, then
  // from need to need, or reads the gaps through, and whole blocks, which small atoms share; one
  // that reads its sub-pack jumps to it. All read what copies add to the catalog.
  double weighted_seconds(const Arrangement& arrangement) {
    return weighted_seconds(arrangement, content_.scenario_count());
  }
  // The same of the first `scenarios` ones.
  double weighted_seconds(const Arrangement& arrangement, uint32_t scenarios);
  // The same of each scenario, not weighted; valid until the next call.
  std::span<const double> seconds_by_scenario(const Arrangement& arrangement);

 private:
  struct AtomPart {
    uint32_t atom;
    uint64_t bytes;
  };
  struct Block {
    uint64_t begin = 0;  // in the common pack
    uint64_t bytes = 0;
    std::vector<AtomPart> parts;
  };

  void add_to_blocks(const Arrangement& arrangement, uint32_t atom);
  void read_block(const Arrangement& arrangement);

  const SharedContent& content_;
  Block block_;                      // the one that isn't full yet
  std::vector<uint64_t> end_bytes_;  // by scenario: of its latest block in the common pack
  std::vector<double> seconds_;
  std::vector<uint8_t> reads_common_;
  std::vector<uint8_t> has_copy_;
};

// What an arrangement is judged by, and how long one is looked for.
struct ArrangeOptions {
  double gain_s_per_gb = 1;            // what a copy has to earn; 0 or more
  uint64_t budget_bytes = UINT64_MAX;  // most bytes of copies
  uint64_t effort = 30'000'000;        // slots looked at while exchanging; more is slower
  uint64_t move_effort =
      30'000'000;  // and while moving atoms of one order, some tenths of a second

  double price_s_per_byte() const { return gain_s_per_gb / 1e9; }
  // Weighted seconds plus the price of the copies; infinity beyond the budget.
  double price(const SharedContent& content, ArrangementCost& cost,
               const Arrangement& arrangement) const;
};

}  // namespace seekless

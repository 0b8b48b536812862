// Defines the problem of serving assets that several scenarios read, either from the common pack or
// from copies in sub-packs. Defines its solution, an arrangement, and what an arrangement costs.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/layout/placement.h"
#include "packer/plan/internal/read_costs.h"
#include "runtime/pack_format.h"

namespace seekless {

// Each asset takes this much space in the catalog, apart from its needs; each copy of it in a pack
// takes kCatalogBytesPerPlace. Every load reads the whole catalog.
constexpr uint64_t kCatalogBytesPerAsset =
    sizeof(format::CatalogAsset) + sizeof(format::Slot) * 4 / 3;
constexpr uint64_t kCatalogBytesPerPlace = sizeof(format::Place);

// Holds an atom's properties besides its bytes and readers.
struct AtomTraits {
  uint32_t assets = 1;  // number of assets in the atom
  bool may_copy = true;
  uint64_t rewritten_bytes = 0;  // bytes that updates are expected to write for each copy
};

// Groups assets that the same scenarios read into atoms, numbered from 0, and lists their readers.
// Each pair of atom and reader has a slot; the slots of an atom are contiguous.
struct SharedContent {
  std::vector<uint64_t> atom_bytes;
  // Maps each atom to the bytes that set the price of a copy of it: its own size, plus the bytes
  // that updates write for it.
  std::vector<uint64_t> priced_bytes;
  std::vector<uint32_t> atom_assets;  // indexed by atom: its number of assets
  std::vector<uint32_t> first_slot;   // indexed by atom; one more entry marks the end
  // Scenarios, indexed by slot; at least two for each atom, ascending.
  std::vector<uint32_t> readers;
  std::vector<uint8_t> may_copy;  // indexed by atom
  std::vector<double> weights;    // indexed by scenario: the weight of its seconds, 0 or more
  std::vector<uint8_t> has_own;   // indexed by scenario: true if its sub-pack is read anyway
  ReadCosts costs;
  uint32_t block_bytes = format::kDefaultBlockBytes;  // largest block

  // Returns the bytes that an atom takes in the common pack. An atom as large as the smallest block
  // is padded to whole pages. A smaller one shares a block, and counts its part of the block's
  // padding, which is half a page on average.
  uint64_t laid_bytes(uint32_t atom) const {
    const uint64_t bytes = atom_bytes[atom];
    return bytes < kLeastBlockBytes ? bytes + bytes * (format::kPageBytes / 2) / kLeastBlockBytes
                                    : format::round_up(bytes, format::kPageBytes);
  }
  // Returns costs for searches that assume that atoms share no blocks. Instead, a jump costs more,
  // because on average it includes reading the neighbours of small atoms.
  ReadCosts costs_with_sharing() const;
  // Returns a reader's seconds for the padding after the atom in its last page.
  double padding_s(uint32_t atom) const {
    return costs.read_s(laid_bytes(atom) - atom_bytes[atom]);
  }

  // Returns the bytes that each copy of the atom adds to the catalog.
  uint64_t catalog_bytes(uint32_t atom) const { return kCatalogBytesPerPlace * atom_assets[atom]; }
  uint32_t atom_count() const { return static_cast<uint32_t>(atom_bytes.size()); }
  uint32_t scenario_count() const { return static_cast<uint32_t>(weights.size()); }
  std::span<const uint32_t> readers_of(uint32_t atom) const {
    return std::span(readers).subspan(first_slot[atom], first_slot[atom + 1] - first_slot[atom]);
  }
  void add_atom(uint64_t bytes, std::span<const uint32_t> atom_readers,
                const AtomTraits& traits = {});
};

// Tells which copy each reader of an atom reads: the one in the common pack, or its own in its
// sub-pack. Atoms that nobody reads from the common pack lie together at its end. Loads that were
// never recorded find them there.
struct Arrangement {
  std::vector<uint32_t> order;  // all atoms, in the order they lie in the common pack
  std::vector<uint8_t> is_own;  // indexed by slot: 1 if the reader has its own copy, else 0
};

// Returns an arrangement without copies, with the atoms in the order of their numbers.
Arrangement plain_arrangement(const SharedContent& content);

// Counts bytes that the packs hold more than once, and the bytes that set their price.
struct CopiedBytes {
  uint64_t bytes = 0;
  uint64_t priced_bytes = 0;
};
CopiedBytes copies_in(const SharedContent& content, const Arrangement& arrangement);
uint64_t copied_bytes(const SharedContent& content, const Arrangement& arrangement);

// Computes an arrangement's cost. Reuses buffers, so that thousands of arrangements can be tried.
class ArrangementCost {
 public:
  // `content` must outlive it.
  explicit ArrangementCost(const SharedContent& content);

  // Returns the weighted seconds of all scenarios, without the time for the bytes they need, which
  // no arrangement changes. A scenario that reads the common pack jumps to its tables, then from
  // need to need, or reads through the gaps; it reads whole blocks, which small atoms share. A
  // scenario that reads its sub-pack jumps to it. All scenarios read the bytes that copies add to
  // the catalog.
  double weighted_seconds(const Arrangement& arrangement) {
    return weighted_seconds(arrangement, content_.scenario_count());
  }
  // Returns the weighted seconds of the first `scenarios` scenarios only.
  double weighted_seconds(const Arrangement& arrangement, uint32_t scenarios);
  // Returns the unweighted seconds of each scenario; valid until the next call.
  std::span<const double> seconds_by_scenario(const Arrangement& arrangement);

 private:
  struct AtomPart {
    uint32_t atom;
    uint64_t bytes;
  };
  struct Block {
    uint64_t begin = 0;  // offset in the common pack
    uint64_t bytes = 0;
    std::vector<AtomPart> parts;
  };

  void add_to_blocks(const Arrangement& arrangement, uint32_t atom);
  void read_block(const Arrangement& arrangement);

  const SharedContent& content_;
  Block block_;  // the block being filled
  // Indexed by scenario: end of the latest block it read in the common pack.
  std::vector<uint64_t> end_bytes_;
  std::vector<double> seconds_;
  std::vector<uint8_t> reads_common_;
  std::vector<uint8_t> has_copy_;
};

// Sets how arrangements are judged and how long the search takes.
struct ArrangeOptions {
  double gain_s_per_gb = 1;            // seconds that a GB of copies must save; 0 or more
  uint64_t budget_bytes = UINT64_MAX;  // limit for all copies
  uint64_t effort = 30'000'000;        // number of slots for exchange() to look at; more is slower
  uint64_t move_effort =
      // Number of slots for move_atoms() to look at for one order, some tenths of a second.
      12'000'000;

  double price_s_per_byte() const { return gain_s_per_gb / 1e9; }
  // Returns the weighted seconds plus the price of the copies; infinity if they exceed the budget.
  double price(const SharedContent& content, ArrangementCost& cost,
               const Arrangement& arrangement) const;
};

}  // namespace seekless

#include "packer/plan/internal/atom_moves.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/plan/read_costs.h"

namespace seekless {
namespace {

constexpr uint64_t kEnough = UINT64_MAX;

// Atoms from 2 kB to 4 MB with random readers; a fifth of the readers have their own copy.
struct Instance {
  SharedContent content;
  Arrangement arrangement;

  Instance(uint32_t atoms, uint32_t scenarios, uint32_t seed) {
    std::mt19937 random(seed);
    content.costs = kNimbleDisk;
    for (uint32_t i = 0; i < scenarios; ++i) content.weights.push_back(0.5 + random() % 4);
    content.has_own.assign(scenarios, 1);
    for (uint32_t atom = 0; atom < atoms; ++atom) {
      std::vector<uint32_t> readers;
      while (readers.size() < 2) {
        readers.clear();
        for (uint32_t i = 0; i < scenarios; ++i)
          if (random() % 3 == 0) readers.push_back(i);
      }
      // It is at least as large as the smallest block: sharing is only estimated for smaller ones.
      content.add_atom(static_cast<uint64_t>(std::exp2(16 + random() % 7)), readers);
    }
    arrangement = plain_arrangement(content);
    for (uint8_t& own : arrangement.is_own) own = random() % 5 == 0 ? 1 : 0;
    std::ranges::shuffle(arrangement.order, random);
  }

  double seconds(const Arrangement& of) const {
    return ArrangementCost(content).weighted_seconds(of);
  }
};

bool share_a_reader(const Instance& instance, uint32_t a, uint32_t b) {
  const auto is_read = [&](uint32_t atom, uint32_t reader) {
    for (uint32_t slot = instance.content.first_slot[atom];
         slot < instance.content.first_slot[atom + 1]; ++slot)
      if (instance.content.readers[slot] == reader) return instance.arrangement.is_own[slot] == 0;
    return false;
  };
  for (uint32_t reader = 0; reader < instance.content.scenario_count(); ++reader)
    if (is_read(a, reader) && is_read(b, reader)) return true;
  return false;
}

TEST(AtomMoves, no_move_to_one_with_a_reader_in_common_is_left_that_helps) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const Instance instance(3 + seed % 10, 2 + seed % 4, seed);
    Arrangement moved = instance.arrangement;
    move_atoms(instance.content, kEnough, moved);
    const double found_s = instance.seconds(moved);
    EXPECT_LE(found_s, instance.seconds(instance.arrangement) + 1e-9) << seed;
    for (size_t from = 0; from < moved.order.size(); ++from)
      for (size_t to = 0; to < moved.order.size(); ++to) {
        Arrangement other = moved;
        const uint32_t atom = other.order[from];
        other.order.erase(other.order.begin() + static_cast<std::ptrdiff_t>(from));
        if (to > 0 && to < other.order.size() && !share_a_reader(instance, atom, other.order[to]) &&
            !share_a_reader(instance, atom, other.order[to - 1]))
          continue;
        other.order.insert(other.order.begin() + static_cast<std::ptrdiff_t>(to), atom);
        EXPECT_GE(instance.seconds(other), found_s - 1e-6) << seed << ' ' << from << ' ' << to;
      }
  }
}

TEST(AtomMoves, large_contents_are_bettered_within_the_effort) {
  const Instance instance(2000, 20, 1);
  const double before_s = instance.seconds(instance.arrangement);
  double last_s = before_s;
  for (const uint64_t effort : {uint64_t{1'000'000}, uint64_t{10'000'000}, kEnough}) {
    Arrangement moved = instance.arrangement;
    move_atoms(instance.content, effort, moved);
    EXPECT_LT(instance.seconds(moved), last_s) << effort;
    last_s = instance.seconds(moved);
    std::ranges::sort(moved.order);
    EXPECT_EQ(moved.order, plain_arrangement(instance.content).order);
  }
  EXPECT_LT(last_s, 0.9 * before_s);
}

TEST(AtomMoves, without_effort_all_stays_where_it_is) {
  const Instance instance(100, 5, 1);
  Arrangement moved = instance.arrangement;
  move_atoms(instance.content, 0, moved);
  EXPECT_DOUBLE_EQ(instance.seconds(moved), instance.seconds(instance.arrangement));
}

TEST(AtomMoves, bears_nothing_at_all) {
  const SharedContent content;
  Arrangement moved;
  move_atoms(content, kEnough, moved);
  EXPECT_TRUE(moved.order.empty());
}

}  // namespace
}  // namespace seekless

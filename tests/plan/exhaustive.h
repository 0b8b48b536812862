// The cheapest arrangement there is, by trying all: what the planner's search is held against. For
// a handful of atoms and scenarios.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "packer/plan/shared_content.h"

namespace seekless::test {

// Tries every sequence of atoms in the common pack (the others are copied for all of their
// readers) and, for each, all copies of each scenario; combines the scenarios' choices within the
// budget, keeping those of which none is both smaller and cheaper. Shares no code with the planner
// but the structs.
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const SharedContent& content, uint64_t budget_bytes)
      : content_(content), budget_bytes_(budget_bytes) {}

  double least_seconds() {
    std::vector<uint32_t> sequence;
    extend(sequence, 0);
    return best_;
  }

 private:
  struct Choice {
    uint64_t bytes;
    double seconds;
  };

  void extend(std::vector<uint32_t>& sequence, uint32_t used) {
    judge(sequence, used);
    for (uint32_t atom = 0; atom < content_.atom_count(); ++atom) {
      if ((used >> atom & 1) != 0) continue;
      sequence.push_back(atom);
      extend(sequence, used | 1U << atom);
      sequence.pop_back();
    }
  }

  void judge(const std::vector<uint32_t>& sequence, uint32_t used) {
    uint64_t bytes = 0;
    for (uint32_t atom = 0; atom < content_.atom_count(); ++atom)
      if ((used >> atom & 1) == 0)
        bytes += content_.atom_bytes[atom] * (content_.readers_of(atom).size() - 1);
    if (bytes > budget_bytes_) return;
    std::vector<Choice> choices = {{bytes, 0}};
    for (uint32_t scenario = 0; scenario < content_.scenario_count() && !choices.empty();
         ++scenario)
      choices = combine(choices, choices_of(scenario, sequence, used));
    for (const Choice& choice : choices) best_ = std::min(best_, choice.seconds);
  }

  struct Block {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  // Where each atom lies, in whole blocks: one ends behind an atom when it holds enough.
  std::vector<Block> blocks_of(const std::vector<uint32_t>& sequence) const {
    std::vector<Block> blocks(sequence.size());
    uint64_t begin = 0;
    for (size_t first = 0, next = 0; first < sequence.size(); first = next) {
      uint64_t bytes = 0;
      while (next < sequence.size() && bytes < kLeastBlockBytes &&
             (next == first || bytes + content_.atom_bytes[sequence[next]] <= content_.block_bytes))
        bytes += content_.atom_bytes[sequence[next++]];
      const uint64_t end = begin + format::round_up(bytes, format::kPageBytes);
      std::fill(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                blocks.begin() + static_cast<std::ptrdiff_t>(next), Block{begin, end});
      begin = end;
    }
    return blocks;
  }

  std::vector<Choice> choices_of(uint32_t scenario, const std::vector<uint32_t>& sequence,
                                 uint32_t used) const {
    const std::vector<Block> blocks = blocks_of(sequence);
    std::vector<Block> needed;
    std::vector<uint32_t> atoms;
    for (size_t i = 0; i < sequence.size(); ++i) {
      if (std::ranges::count(content_.readers_of(sequence[i]), scenario) > 0) {
        needed.push_back(blocks[i]);
        atoms.push_back(sequence[i]);
      }
    }
    bool opens_sub = content_.has_own[scenario] != 0;
    for (uint32_t atom = 0; atom < content_.atom_count(); ++atom)
      if ((used >> atom & 1) == 0 && std::ranges::count(content_.readers_of(atom), scenario) > 0)
        opens_sub = true;
    std::vector<Choice> choices;
    for (uint32_t own = 0; own < 1U << needed.size(); ++own) {
      uint64_t bytes = 0;
      double jumps = opens_sub || own != 0 ? content_.costs.jump_s : 0;
      double seconds = 0;
      uint64_t end = 0;
      for (size_t i = 0; i < needed.size(); ++i) {
        if ((own >> i & 1) != 0) {
          bytes += content_.atom_bytes[atoms[i]];
          continue;
        }
        if (needed[i].end > end)
          seconds += content_.costs.gap_s(needed[i].begin - end) +
                     content_.costs.read_s(needed[i].end - needed[i].begin);
        seconds -= content_.costs.read_s(content_.atom_bytes[atoms[i]]);
        end = needed[i].end;
      }
      if (own + 1 < 1U << needed.size()) jumps += content_.costs.jump_s;
      choices.push_back({bytes, content_.weights[scenario] * (jumps + seconds)});
    }
    return choices;
  }

  std::vector<Choice> combine(const std::vector<Choice>& a, const std::vector<Choice>& b) const {
    std::vector<Choice> all;
    for (const Choice& x : a)
      for (const Choice& y : b)
        if (x.bytes + y.bytes <= budget_bytes_)
          all.push_back({x.bytes + y.bytes, x.seconds + y.seconds});
    std::ranges::sort(all, [](const Choice& x, const Choice& y) {
      return x.bytes != y.bytes ? x.bytes < y.bytes : x.seconds < y.seconds;
    });
    std::vector<Choice> kept;
    for (const Choice& choice : all)
      if (kept.empty() || choice.seconds < kept.back().seconds) kept.push_back(choice);
    return kept;
  }

  const SharedContent& content_;
  const uint64_t budget_bytes_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace seekless::test

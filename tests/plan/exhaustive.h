// Finds the cheapest arrangement by trying all of them, to compare the planner's search with. It is
// for a handful of atoms and scenarios.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "packer/plan/internal/shared_content.h"

namespace seekless::test {

// Tries every sequence of atoms in the common pack (the others are copied for all of their readers)
// and, for each, all copies of each scenario. It combines the scenarios' choices within the budget,
// and keeps those for which no other is both smaller and cheaper. It shares only the structs with
// the planner.
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
    double seconds = 0;
    for (uint32_t atom = 0; atom < content_.atom_count(); ++atom) {
      if ((used >> atom & 1) != 0) continue;
      const size_t copies = content_.readers_of(atom).size();
      bytes += content_.atom_bytes[atom] * copies;
      seconds += catalog_s(atom) * static_cast<double>(copies);
    }
    if (bytes > budget_bytes_) return;
    std::vector<Choice> choices = {{bytes, seconds}};
    for (uint32_t scenario = 0; scenario < content_.scenario_count() && !choices.empty();
         ++scenario)
      choices = combine(choices, choices_of(scenario, sequence, used));
    for (const Choice& choice : choices) best_ = std::min(best_, choice.seconds);
  }

  // The time that one copy costs all scenarios.
  double catalog_s(uint32_t atom) const {
    double seconds = 0;
    for (const double weight : content_.weights)
      seconds += weight * content_.costs.read_s(content_.catalog_bytes(atom));
    return seconds;
  }

  struct Block {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  // Returns where each atom lies, in whole blocks, asset by asset. A block of several atoms ends
  // when it holds enough.
  std::vector<std::vector<Block>> blocks_of(const std::vector<uint32_t>& sequence) const {
    std::vector<std::vector<Block>> blocks(sequence.size());
    std::vector<size_t> open;  // atoms that have assets in the current block
    uint64_t begin = 0;
    uint64_t bytes = 0;
    const auto end_block = [&] {
      const uint64_t end = begin + format::round_up(bytes, format::kPageBytes);
      for (const size_t i : open) blocks[i].push_back({begin, end});
      open.clear();
      begin = end;
      bytes = 0;
    };
    for (size_t i = 0; i < sequence.size(); ++i) {
      uint64_t left = content_.atom_bytes[sequence[i]];
      const uint64_t assets = content_.atom_assets[sequence[i]];
      const uint64_t asset_bytes = (left + assets - 1) / assets;
      if (bytes >= kLeastBlockBytes) end_block();
      const bool is_mixed = bytes > 0;
      while (is_mixed && left > 0 && bytes < kLeastBlockBytes &&
             bytes + std::min(left, asset_bytes) <= content_.block_bytes) {
        if (open.empty() || open.back() != i) open.push_back(i);
        bytes += std::min(left, asset_bytes);
        left -= std::min(left, asset_bytes);
      }
      if (left == 0) continue;
      end_block();
      open.push_back(i);
      bytes = left;
    }
    end_block();
    return blocks;
  }

  std::vector<Choice> choices_of(uint32_t scenario, const std::vector<uint32_t>& sequence,
                                 uint32_t used) const {
    const std::vector<std::vector<Block>> blocks = blocks_of(sequence);
    std::vector<std::vector<Block>> needed;
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
      double of_all_s = 0;
      uint64_t end = 0;
      for (size_t i = 0; i < needed.size(); ++i) {
        if ((own >> i & 1) != 0) {
          bytes += content_.atom_bytes[atoms[i]];
          of_all_s += catalog_s(atoms[i]);
          continue;
        }
        for (const Block& block : needed[i]) {
          if (block.end > end)
            seconds += content_.costs.gap_s(block.begin - end) +
                       content_.costs.read_s(block.end - block.begin);
          end = block.end;
        }
        seconds -= content_.costs.read_s(content_.atom_bytes[atoms[i]]);
      }
      if (own + 1 < 1U << needed.size()) jumps += content_.costs.jump_s;
      choices.push_back({bytes, of_all_s + content_.weights[scenario] * (jumps + seconds)});
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

#include "packer/keep/internal/reader_sets.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace seekless {

ReaderSets::ReaderSets(std::vector<std::vector<uint32_t>> sets) : sets_(std::move(sets)) {
  for (uint32_t i = 0; i < sets_.size(); ++i) numbers_.emplace(sets_[i], i);
  none_ = number_of({});
}

uint32_t ReaderSets::number_of(std::vector<uint32_t> set) {
  const auto [known, is_new] = numbers_.emplace(set, static_cast<uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(std::move(set));
  return known->second;
}

uint32_t ReaderSets::both(uint32_t a, uint32_t b) {
  if (a == b || is_empty(b)) return a;
  if (is_empty(a)) return b;
  std::vector<uint32_t> set;
  std::ranges::set_union(sets_[a], sets_[b], std::back_inserter(set));
  return number_of(std::move(set));
}

uint32_t ReaderSets::without(uint32_t a, uint32_t b) {
  if (is_empty(a) || is_empty(b)) return a;
  std::vector<uint32_t> set;
  std::ranges::set_difference(sets_[a], sets_[b], std::back_inserter(set));
  return number_of(std::move(set));
}

std::vector<std::vector<uint32_t>> ReaderSets::take_used(std::vector<LaidPack>& packs) {
  std::vector<char> is_used(sets_.size(), 0);
  for (const LaidPack& pack : packs) {
    for (const LaidAsset& asset : pack.assets) is_used[asset.scenario_set] = 1;
    for (const DeadAsset& asset : pack.dead) is_used[asset.scenario_set] = 1;
  }
  std::vector<uint32_t> numbers(sets_.size(), 0);
  std::vector<std::vector<uint32_t>> used(1);
  for (uint32_t i = 0; i < sets_.size(); ++i) {
    if (is_used[i] == 0 || sets_[i].empty()) continue;
    numbers[i] = static_cast<uint32_t>(used.size());
    used.push_back(std::move(sets_[i]));
  }
  for (LaidPack& pack : packs) {
    for (LaidAsset& asset : pack.assets) asset.scenario_set = numbers[asset.scenario_set];
    for (DeadAsset& asset : pack.dead) asset.scenario_set = numbers[asset.scenario_set];
  }
  return used;
}

}  // namespace seekless

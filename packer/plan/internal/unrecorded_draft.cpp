#include "packer/plan/internal/unrecorded_draft.h"

#include <algorithm>
#include <map>
#include <utility>

#include "packer/plan/needs.h"

namespace seekless {
namespace {

// Numbers the sets of scenarios that read a copy; new ones are appended.
class Sets {
 public:
  explicit Sets(std::vector<std::vector<uint32_t>>& sets) : sets_(sets) {
    for (uint32_t i = 0; i < sets.size(); ++i) numbers_.emplace(sets[i], i);
  }
  // All of `more` must be larger than the numbers in the set.
  uint32_t with(uint32_t set, const std::vector<uint32_t>& more) {
    std::vector<uint32_t> all = sets_[set];
    all.insert(all.end(), more.begin(), more.end());
    const auto [known, is_new] = numbers_.emplace(all, static_cast<uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(std::move(all));
    return known->second;
  }

 private:
  std::vector<std::vector<uint32_t>>& sets_;
  std::map<std::vector<uint32_t>, uint32_t> numbers_;
};

class UnrecordedDrafter {
 public:
  UnrecordedDrafter(const DraftInput& input, const std::vector<std::vector<uint32_t>>& sweeps,
                    uint32_t first, Draft& draft)
      : input_(input),
        sweeps_(sweeps),
        first_(first),
        draft_(draft),
        readers_(input.content.assets.size()),
        is_own_(input.content.assets.size()) {}

  void lay() {
    for (uint32_t i = 0; i < sweeps_.size(); ++i)
      for (const uint32_t asset : sweeps_[i]) readers_[asset].push_back(first_ + i);
    choose_own(copied_bytes() <= budget_left());
    DraftPack own = own_pack();
    add_to_homes();
    add(std::move(own));
  }

 private:
  bool is_typical(uint32_t asset) const {
    return !readers_[asset].empty() && readers_[asset].front() == first_;
  }
  bool is_specific(uint32_t asset) const { return !readers_[asset].empty() && !is_typical(asset); }
  static bool is_cold(const DraftPack& pack) {
    return pack.kind == PackKind::cold && pack.pinned_name.empty();
  }
  bool can_be_copied(uint32_t asset) const {
    return input_.rules[asset].copies && input_.rules[asset].pack.empty();
  }

  uint64_t budget_left() const {
    const uint64_t spent = seekless::copied_bytes(draft_.shared, draft_.arrangement);
    return input_.arrange.budget_bytes - std::min(input_.arrange.budget_bytes, spent);
  }

  // Returns the bytes of recorded assets that these maps would copy.
  uint64_t copied_bytes() const {
    uint64_t bytes = 0;
    std::vector<uint8_t> is_counted(readers_.size());
    for (const DraftPack& pack : draft_.packs)
      for (const DraftAsset& of : pack.assets)
        if (!is_cold(pack) && is_specific(of.asset) && can_be_copied(of.asset) &&
            std::exchange(is_counted[of.asset], 1) == 0)
          bytes += input_.content.assets[of.asset].place.size_bytes;
    return bytes;
  }

  // Chooses the assets of the maps' own pack, and removes them from the cold pack.
  void choose_own(bool gets_copies) {
    for (DraftPack& pack : draft_.packs) {
      for (const DraftAsset& of : pack.assets)
        if (is_specific(of.asset) && input_.rules[of.asset].pack.empty() &&
            (is_cold(pack) || (gets_copies && can_be_copied(of.asset))))
          is_own_[of.asset] = 1;
      if (is_cold(pack))
        std::erase_if(pack.assets, [&](const DraftAsset& of) { return is_own_[of.asset] != 0; });
    }
    std::erase_if(draft_.packs, [](const DraftPack& pack) { return pack.assets.empty(); });
  }

  // Returns the maps' own pack. Each asset appears once, in the order it would have without other
  // content.
  DraftPack own_pack() {
    std::vector<AssetRules> rules = input_.rules;
    Needs needs;
    needs.content = &input_.content;
    needs.readers.resize(readers_.size());
    needs.runs.resize(sweeps_.size());
    for (uint32_t asset = 0; asset < readers_.size(); ++asset) {
      rules[asset].excluded = is_own_[asset] == 0;
      if (is_own_[asset] != 0)
        for (const uint32_t reader : readers_[asset])
          needs.readers[asset].push_back(reader - first_);
    }
    DraftInput alone = {.content = input_.content,
                        .rules = rules,
                        .weights = std::vector<double>(sweeps_.size(), 1),
                        .sub_names = std::vector<std::string>(sweeps_.size()),
                        .drive = input_.drive,
                        .costs = input_.costs,
                        .arrange = input_.arrange,
                        .block_bytes = input_.block_bytes,
                        .is_trial = input_.is_trial,
                        .threads = input_.threads};
    alone.arrange.budget_bytes = 0;
    DraftPack own = {.kind = PackKind::common,
                     .scenario = kNoScenario,
                     .pinned_name = kUnrecordedPack,
                     .assets = {}};
    Sets sets(draft_.sets);
    for (const DraftPack& part : make_draft(alone, needs).packs)
      for (const DraftAsset& of : part.assets)
        own.assets.push_back({of.asset, sets.with(0, readers_[of.asset])});
    std::ranges::stable_sort(own.assets, {},
                             [&](const DraftAsset& of) { return input_.rules[of.asset].order; });
    return own;
  }

  // Adds the pack. If rules have already made a pack of its name, its assets go after those.
  void add(DraftPack own) {
    if (own.assets.empty()) return;
    const auto same = std::ranges::find(draft_.packs, own.pinned_name, &DraftPack::pinned_name);
    if (same != draft_.packs.end()) {
      same->assets.insert(same->assets.end(), own.assets.begin(), own.assets.end());
      return;
    }
    const auto cold = std::ranges::find(draft_.packs, PackKind::cold, &DraftPack::kind);
    draft_.packs.insert(cold, std::move(own));
  }

  // Marks the assets that these maps read at their existing places.
  void add_to_homes() {
    Sets sets(draft_.sets);
    for (DraftPack& pack : draft_.packs)
      for (DraftAsset& of : pack.assets) {
        if (is_own_[of.asset] != 0) continue;
        if (const std::vector<uint32_t> readers = std::exchange(readers_[of.asset], {});
            !readers.empty())
          of.set = sets.with(of.set, readers);
      }
  }

  const DraftInput& input_;
  const std::vector<std::vector<uint32_t>>& sweeps_;
  const uint32_t first_;
  Draft& draft_;
  // Indexed by asset: the added scenarios that read it.
  std::vector<std::vector<uint32_t>> readers_;
  std::vector<uint8_t> is_own_;  // indexed by asset: 1 if it lies in their own pack
};

}  // namespace

void lay_unrecorded(const DraftInput& input, const std::vector<std::vector<uint32_t>>& sweeps,
                    uint32_t first, Draft& draft) {
  if (!sweeps.empty()) UnrecordedDrafter(input, sweeps, first, draft).lay();
}

}  // namespace seekless

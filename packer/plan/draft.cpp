#include "packer/plan/draft.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "packer/base/in_parallel.h"
#include "packer/base/none.h"
#include "packer/plan/order.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

// If many scenarios read an asset, this many runs are enough to find an order.
constexpr size_t kMostRunsOfGroup = 64;
// The system reads this much at once, so the order of a smaller group doesn't matter.
constexpr uint64_t kOneReadBytes = 128 * 1024;

// Holds assets that lie side by side because the same scenarios read them. Each group has its own
// order.
struct AssetGroup {
  std::vector<uint32_t> assets;
  std::vector<std::vector<uint32_t>> runs;  // lists of indices into `assets`
};

class Drafter {
 public:
  Drafter(const DraftInput& input, const Needs& needs) : input_(input), needs_(needs) {}

  Draft make() {
    sort_assets();
    draft_.arrangement = arrange(draft_.shared, input_.arrange, *input_.arranged_before);
    make_groups();
    collect_runs();
    order_groups();
    fill_packs();
    return std::move(draft_);
  }

 private:
  size_t asset_count() const { return input_.content.assets.size(); }
  uint64_t laid_bytes(uint32_t asset) const {
    return format::round_up(input_.content.assets[asset].place.size_bytes,
                            input_.rules[asset].alignment_bytes);
  }

  // Sorts the assets into atoms of shared content, assets that only one scenario reads, assets that
  // nobody reads, and assets that rules pin to a pack.
  void sort_assets() {
    std::map<std::pair<std::vector<uint32_t>, bool>, uint32_t> atoms;
    std::vector<uint64_t> atom_bytes;
    // Indexed by atom: bytes that updates write for each copy of the atom.
    std::vector<double> rewritten;
    std::vector<uint32_t> assets;  // indexed by atom: its number of assets
    atom_of_.assign(asset_count(), kNone);
    draft_.shared.weights = input_.weights;
    draft_.shared.has_own.assign(needs_.scenario_count(), 0);
    draft_.shared.costs = input_.costs;
    draft_.shared.block_bytes = input_.block_bytes;
    draft_.shared.first_slot = {0};
    for (uint32_t asset = 0; asset < asset_count(); ++asset) {
      const std::vector<uint32_t>& readers = needs_.readers[asset];
      const AssetRules& rules = input_.rules[asset];
      if (rules.excluded) continue;
      if (!rules.pack.empty()) {
        pinned_[rules.pack].push_back(asset);
      } else if (readers.size() == 1) {
        draft_.shared.has_own[readers.front()] = 1;
      } else if (readers.size() > 1) {
        const auto [atom, is_new] =
            atoms.try_emplace({readers, rules.copies}, static_cast<uint32_t>(atom_bytes.size()));
        if (is_new) {
          atom_bytes.push_back(0);
          rewritten.push_back(0);
          assets.push_back(0);
        }
        atom_of_[asset] = atom->second;
        atom_bytes[atom->second] += laid_bytes(asset);
        ++assets[atom->second];
        if (!input_.rewritten_by_copy.empty())
          rewritten[atom->second] +=
              static_cast<double>(laid_bytes(asset)) * input_.rewritten_by_copy[asset];
      }
    }
    std::vector<const std::pair<std::vector<uint32_t>, bool>*> keys(atom_bytes.size());
    for (const auto& [key, atom] : atoms) keys[atom] = &key;
    for (size_t atom = 0; atom < keys.size(); ++atom)
      draft_.shared.add_atom(atom_bytes[atom], keys[atom]->first,
                             {.assets = assets[atom],
                              .may_copy = keys[atom]->second,
                              .rewritten_bytes = static_cast<uint64_t>(rewritten[atom])});
  }

  // Returns true if the scenario has its own copy of the atom. If the scenario's sweep leaves the
  // atom out, the scenario isn't among its readers and has none.
  bool is_own(uint32_t atom, uint32_t scenario) const {
    const auto readers = draft_.shared.readers_of(atom);
    const auto found = std::ranges::lower_bound(readers, scenario);
    if (found == readers.end() || *found != scenario) return false;
    const auto at = static_cast<size_t>(found - readers.begin());
    return draft_.arrangement.is_own[draft_.shared.first_slot[atom] + at] != 0;
  }

  // Makes a group for each atom, for each scenario's sub-pack and for each pack that rules name.
  // Assets that only some runs read get one group for each scenario, and one for several scenarios.
  void make_groups() {
    const uint32_t atoms = draft_.shared.atom_count();
    first_sub_ = atoms;
    first_pinned_ = atoms + needs_.scenario_count();
    groups_.resize(first_pinned_);
    group_of_.assign(asset_count(), kNone);
    for (const auto& [name, assets] : pinned_) {
      for (const uint32_t asset : assets) group_of_[asset] = static_cast<uint32_t>(groups_.size());
      groups_.push_back({assets, {}});
    }
    first_seldom_ = static_cast<uint32_t>(groups_.size());
    if (!needs_.seldom_reader.empty()) groups_.resize(first_seldom_ + needs_.scenario_count() + 1);
    for (uint32_t asset = 0; asset < asset_count(); ++asset) {
      const uint32_t atom = atom_of_[asset];
      const std::vector<uint32_t>& readers = needs_.readers[asset];
      if (atom == kNone) {
        if (group_of_[asset] != kNone || input_.rules[asset].excluded) continue;
        if (readers.size() == 1)
          group_of_[asset] = first_sub_ + readers.front();
        else if (needs_.is_seldom_read(asset))
          // kSeveral stands for the last of these groups.
          group_of_[asset] =
              first_seldom_ + std::min(needs_.seldom_reader[asset], needs_.scenario_count());
        else
          continue;
        groups_[group_of_[asset]].assets.push_back(asset);
        continue;
      }
      group_of_[asset] = atom;
      groups_[atom].assets.push_back(asset);
      for (const uint32_t scenario : readers)
        if (is_own(atom, scenario)) groups_[first_sub_ + scenario].assets.push_back(asset);
    }
  }

  uint32_t group_of(uint32_t asset, uint32_t scenario) const {
    const uint32_t atom = atom_of_[asset];
    return atom != kNone && is_own(atom, scenario) ? first_sub_ + scenario : group_of_[asset];
  }

  // Collects each group's part of every run. For a group that many runs read, it takes only every
  // n-th run.
  void collect_runs() {
    const std::vector<uint32_t> strides = run_strides();
    std::vector<uint32_t> latest_run(groups_.size(), kNone);
    uint32_t run_number = 0;
    for (uint32_t scenario = 0; scenario < needs_.scenario_count(); ++scenario)
      for (const NeededRun& run : needs_.runs[scenario]) {
        for (const uint32_t asset : run.assets()) {
          const uint32_t number = group_of(asset, scenario);
          if (number == kNone || groups_[number].assets.size() < 2) continue;
          if (run_number % strides[number] != 0) continue;
          AssetGroup& group = groups_[number];
          if (std::exchange(latest_run[number], run_number) != run_number)
            group.runs.emplace_back();
          const auto at = std::ranges::lower_bound(group.assets, asset) - group.assets.begin();
          group.runs.back().push_back(static_cast<uint32_t>(at));
        }
        ++run_number;
      }
  }

  std::vector<uint32_t> run_strides() const {
    std::vector<size_t> runs(groups_.size());
    size_t all = 0;
    for (uint32_t scenario = 0; scenario < needs_.scenario_count(); ++scenario) {
      runs[first_sub_ + scenario] = needs_.runs[scenario].size();
      all += needs_.runs[scenario].size();
    }
    for (uint32_t atom = 0; atom < first_sub_; ++atom)
      for (const uint32_t reader : draft_.shared.readers_of(atom))
        runs[atom] += needs_.runs[reader].size();
    std::fill(runs.begin() + first_pinned_, runs.end(), all);
    for (uint32_t i = first_seldom_; i + 1 < groups_.size(); ++i)
      runs[i] = needs_.runs[i - first_seldom_].size();
    std::vector<uint32_t> strides;
    for (const size_t count : runs)
      strides.push_back(static_cast<uint32_t>(
          std::max<size_t>(1, (count + kMostRunsOfGroup - 1) / kMostRunsOfGroup)));
    return strides;
  }

  void order_groups() {
    in_parallel(groups_.size(), input_.threads, [&](size_t number, size_t) {
      AssetGroup& group = groups_[number];
      if (group.assets.size() < 2) return;
      std::vector<uint32_t> ordered;
      for (const uint32_t index : order_of_group(group)) ordered.push_back(group.assets[index]);
      group.assets = std::move(ordered);
    });
  }

  std::vector<uint32_t> order_of_group(AssetGroup& group) const {
    OrderProblem problem;
    for (const uint32_t asset : group.assets) problem.sizes_bytes.push_back(laid_bytes(asset));
    problem.runs = std::move(group.runs);
    return order_of(problem);
  }

  std::vector<uint32_t> order_of(const OrderProblem& problem) const {
    const uint64_t bytes =
        std::accumulate(problem.sizes_bytes.begin(), problem.sizes_bytes.end(), uint64_t{0});
    if (bytes > kOneReadBytes)
      return best_order(problem, input_.drive, {.tries_methods = !input_.is_trial}).order;
    std::vector<uint32_t> order;
    std::vector<bool> is_in(problem.sizes_bytes.size());
    for (const std::vector<uint32_t>& run : problem.runs)
      for (const uint32_t index : run)
        if (!is_in[index]) {
          is_in[index] = true;
          order.push_back(index);
        }
    for (uint32_t index = 0; index < is_in.size(); ++index)
      if (!is_in[index]) order.push_back(index);
    return order;
  }

  uint32_t set_number(std::vector<uint32_t> readers) {
    return sets_.try_emplace(std::move(readers), static_cast<uint32_t>(sets_.size())).first->second;
  }

  void fill_packs() {
    set_number({});
    fill_common();
    std::map<std::string, DraftPack> pinned;
    for (auto group = groups_.begin() + first_pinned_; const auto& [name, ignored] : pinned_) {
      DraftPack& pack = pinned[name];
      pack.pinned_name = name;
      for (const uint32_t asset : (group++)->assets)
        pack.assets.push_back({asset, set_number(needs_.readers[asset])});
    }
    append_seldom(needs_.scenario_count(), common_);
    DraftPack common = std::move(common_);
    append(pinned, "common", common);
    add(std::move(common));
    for (uint32_t scenario = 0; scenario < needs_.scenario_count(); ++scenario) {
      DraftPack sub = {
          .kind = PackKind::sub, .scenario = scenario, .pinned_name = {}, .assets = {}};
      const uint32_t set =
          groups_[first_sub_ + scenario].assets.empty() ? 0 : set_number({scenario});
      for (const uint32_t asset : groups_[first_sub_ + scenario].assets)
        sub.assets.push_back({asset, set});
      append_seldom(scenario, sub);
      append(pinned, input_.sub_names[scenario], sub);
      add(std::move(sub));
    }
    DraftPack cold = {
        .kind = PackKind::cold, .scenario = kNoScenario, .pinned_name = {}, .assets = {}};
    for (uint32_t asset = 0; asset < asset_count(); ++asset)
      if (needs_.readers[asset].empty() && group_of_[asset] == kNone &&
          !input_.rules[asset].excluded)
        cold.assets.push_back({asset, 0});
    append(pinned, "cold", cold);
    for (auto& [name, pack] : pinned) add(std::move(pack));
    add(std::move(cold));
    draft_.sets.resize(sets_.size());
    for (const auto& [readers, number] : sets_) draft_.sets[number] = readers;
  }

  void fill_common() {
    std::vector<uint32_t> unshared;
    for (const uint32_t atom : draft_.arrangement.order) {
      std::vector<uint32_t> readers;
      for (const uint32_t reader : draft_.shared.readers_of(atom))
        if (!is_own(atom, reader)) readers.push_back(reader);
      if (readers.empty())
        unshared.push_back(atom);
      else
        append_to_common(atom, set_number(std::move(readers)));
    }
    for (const uint32_t atom : unshared) append_to_common(atom, 0);
  }

  void append_to_common(uint32_t atom, uint32_t set) {
    for (const uint32_t asset : groups_[atom].assets) common_.assets.push_back({asset, set});
  }

  // Appends the seldom read assets at the edge of the pack, after everything that sweeps read.
  void append_seldom(uint32_t number, DraftPack& to) {
    if (first_seldom_ + number >= groups_.size()) return;
    for (const uint32_t asset : groups_[first_seldom_ + number].assets)
      to.assets.push_back({asset, 0});
  }

  // If the pack exists anyway, pinned assets go after its own.
  static void append(std::map<std::string, DraftPack>& pinned, const std::string& name,
                     DraftPack& to) {
    const auto found = pinned.find(name);
    if (found == pinned.end()) return;
    to.assets.insert(to.assets.end(), found->second.assets.begin(), found->second.assets.end());
    pinned.erase(found);
  }

  void add(DraftPack pack) {
    std::ranges::stable_sort(pack.assets, {},
                             [&](const DraftAsset& of) { return input_.rules[of.asset].order; });
    if (!pack.assets.empty()) draft_.packs.push_back(std::move(pack));
  }

  const DraftInput& input_;
  const Needs& needs_;
  Draft draft_;
  std::vector<uint32_t> atom_of_;  // indexed by asset; kNone if it is in no atom
  std::map<std::string, std::vector<uint32_t>> pinned_;  // lists of pinned assets, by pack name
  // Holds the groups of atoms, then of scenarios, of pinned packs, and of seldom read assets.
  std::vector<AssetGroup> groups_;
  std::vector<uint32_t> group_of_;  // indexed by asset, copies aside; kNone if it is in no group
  uint32_t first_sub_ = 0;
  uint32_t first_pinned_ = 0;
  uint32_t first_seldom_ = 0;
  DraftPack common_;
  std::map<std::vector<uint32_t>, uint32_t> sets_;
};

}  // namespace

Draft make_draft(const DraftInput& input, const Needs& needs) {
  return Drafter(input, needs).make();
}

}  // namespace seekless

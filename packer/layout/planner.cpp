#include "packer/layout/planner.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "packer/path/glob.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Each asset's index in the content by its index in the profile; kNone if it is gone.
std::vector<uint32_t> match_paths(const Profile& profile, const Content& content) {
  std::vector<uint32_t> indices;
  indices.reserve(profile.assets.size());
  for (const std::string& path : profile.assets) {
    const auto found = std::ranges::lower_bound(content.assets, path, {}, &Asset::path);
    const bool is_there = found != content.assets.end() && found->path == path;
    indices.push_back(is_there ? static_cast<uint32_t>(found - content.assets.begin()) : kNone);
  }
  return indices;
}

class Planner {
 public:
  Planner(const Profile& profile, const Content& content, const PlanOptions& options)
      : profile_(profile),
        content_(content),
        options_(options),
        readers_(content.assets.size()),
        rank_(content.assets.size(), kNone) {}

  Plan plan() {
    Layout& layout = plan_.layout;
    layout.block_bytes = options_.block_bytes;
    layout.fold_case = options_.fold_case;
    layout.sources = content_.sources;
    rank_assets();
    number_sets();
    add_packs();
    return std::move(plan_);
  }

 private:
  // Who reads each asset, and where it comes in the order of the first who does.
  void rank_assets() {
    const std::vector<uint32_t> index_of = match_paths(profile_, content_);
    for (size_t i = 0; i < index_of.size(); ++i)
      if (index_of[i] == kNone) plan_.gone.push_back(profile_.assets[i]);
    uint32_t next_rank = 0;
    for (uint32_t scenario = 0; scenario < profile_.scenarios.size(); ++scenario) {
      const ProfiledScenario& of = profile_.scenarios[scenario];
      plan_.layout.scenarios.push_back({of.name, static_cast<uint32_t>(of.runs.size())});
      for (const uint32_t profiled : merge_runs(of)) {
        const uint32_t asset = index_of[profiled];
        if (asset == kNone) continue;
        if (readers_[asset].empty() || readers_[asset].back() != scenario)
          readers_[asset].push_back(scenario);
        if (rank_[asset] == kNone) rank_[asset] = next_rank++;
      }
    }
  }

  // The sets by the number of their scenarios, most first, the empty one in front of all.
  void number_sets() {
    const auto more_first = [](const auto& a, const auto& b) {
      return std::tuple(!a.empty(), b.size(), a) < std::tuple(!b.empty(), a.size(), b);
    };
    std::vector<std::vector<uint32_t>>& sets = plan_.layout.scenario_sets;
    sets = readers_;
    sets.emplace_back();
    std::ranges::sort(sets, more_first);
    const auto repeated = std::ranges::unique(sets);
    sets.erase(repeated.begin(), repeated.end());
    std::map<std::vector<uint32_t>, uint32_t> number;
    for (uint32_t i = 0; i < sets.size(); ++i) number.emplace(sets[i], i);
    set_of_.reserve(readers_.size());
    for (const std::vector<uint32_t>& readers : readers_) set_of_.push_back(number.at(readers));
  }

  void add_packs() {
    std::vector<std::vector<uint32_t>> of_scenario(profile_.scenarios.size());
    std::vector<uint32_t> common;
    std::vector<uint32_t> cold;
    for (uint32_t asset = 0; asset < content_.assets.size(); ++asset) {
      if (readers_[asset].empty())
        cold.push_back(asset);
      else if (readers_[asset].size() == 1)
        of_scenario[readers_[asset].front()].push_back(asset);
      else
        common.push_back(asset);
    }
    add_pack("common", PackKind::common, common);
    for (size_t i = 0; i < of_scenario.size(); ++i)
      add_pack(unused_name(pack_name_of(profile_.scenarios[i].name)), PackKind::sub,
               of_scenario[i]);
    add_pack("cold", PackKind::cold, cold);
  }

  void add_pack(const std::string& name, PackKind kind, std::vector<uint32_t>& assets) {
    if (assets.empty()) return;
    std::ranges::sort(assets, {}, [this](uint32_t asset) {
      return std::tuple(set_of_[asset], rank_[asset], asset);
    });
    LaidPack& pack = plan_.layout.packs.emplace_back();
    pack.name = name;
    pack.kind = kind;
    for (const uint32_t asset : assets) {
      const Asset& from = content_.assets[asset];
      pack.assets.push_back({from.path, from.place.size_bytes, from.place.source, from.place.entry,
                             from.place.crc32, set_of_[asset], alignment_of(from.path)});
    }
  }

  // Scenarios can have names that make the same file name, also where case doesn't count.
  std::string unused_name(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !names_.insert(seekless::fold_case(name)).second; ++i)
      name = fmt::format("{}-{}", wanted, i);
    return name;
  }

  uint32_t alignment_of(const std::string& path) const {
    uint32_t alignment = kDefaultAlignmentBytes;
    for (const AlignmentRule& rule : options_.alignments)
      if (matches_glob(rule.glob, path)) alignment = rule.alignment_bytes;
    return alignment;
  }

  const Profile& profile_;
  const Content& content_;
  const PlanOptions& options_;
  Plan plan_;
  std::vector<std::vector<uint32_t>> readers_;  // of each asset, rising
  std::vector<uint32_t> rank_;                  // of each asset; kNone if nobody reads it
  std::vector<uint32_t> set_of_;                // of each asset, in Layout::scenario_sets
  std::unordered_set<std::string> names_ = {"catalog", "cold", "common"};
};

}  // namespace

std::vector<uint32_t> merge_runs(const ProfiledScenario& scenario) {
  // A list with each asset's successor; what is new goes behind what came before it in its run.
  std::unordered_map<uint32_t, uint32_t> next;
  uint32_t first = kNone;
  for (const ProfiledRun& run : scenario.runs) {
    uint32_t previous = kNone;
    for (const uint32_t asset : run.assets) {
      uint32_t& link = previous == kNone ? first : next[previous];
      const uint32_t follower = link;
      if (!next.contains(asset)) {
        link = asset;
        next.emplace(asset, follower);
      }
      previous = asset;
    }
  }
  std::vector<uint32_t> order;
  order.reserve(next.size());
  for (uint32_t asset = first; asset != kNone; asset = next.at(asset)) order.push_back(asset);
  return order;
}

Plan plan_layout(const Profile& profile, const Content& content, const PlanOptions& options) {
  return Planner(profile, content, options).plan();
}

}  // namespace seekless

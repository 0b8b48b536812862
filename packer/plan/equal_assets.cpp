#include "packer/plan/equal_assets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "packer/base/each_once.h"
#include "packer/base/none.h"
#include "packer/layout/rules.h"
#include "packer/profile/find_assets.h"

namespace seekless {
namespace {

EqualContent count_equal(const Content& content, const std::vector<uint32_t>& same_as) {
  EqualContent equal;
  for (uint32_t asset = 0; asset < same_as.size(); ++asset) {
    if (same_as[asset] == asset) continue;
    if (equal.assets++ == 0) {
      equal.example = content.assets[asset].path;
      equal.of = content.assets[same_as[asset]].path;
    }
    equal.bytes += content.assets[asset].place.size_bytes;
  }
  return equal;
}

}  // namespace

EqualAssets::EqualAssets(const Profile& profile, const Content& content, const PlanOptions& options)
    : profile_(profile), content_(content), options_(options) {
  if (options.same_as.empty()) return;
  stands_for_it_.resize(content.assets.size());
  std::iota(stands_for_it_.begin(), stands_for_it_.end(), 0U);
  find_others();
  if (is_empty()) return;
  first_.assign(content.assets.size() + 1, 0);
  for (const uint32_t one : stands_for_it_) ++first_[one + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  members_.resize(content.assets.size());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (uint32_t asset = 0; asset < stands_for_it_.size(); ++asset)
    members_[next[stands_for_it_[asset]]++] = asset;
  asset_of_ = find_assets(profile, content);
  sort_members();
}

void EqualAssets::sort_members() {
  std::vector<uint32_t> number_of(content_.assets.size(), kNone);
  for (uint32_t number = 0; number < asset_of_.size(); ++number)
    if (asset_of_[number] != kNone) number_of[asset_of_[number]] = number;
  for (uint32_t asset = 0; asset < content_.assets.size(); ++asset)
    std::ranges::stable_sort(members_.begin() + first_[asset], members_.begin() + first_[asset + 1],
                             {}, [&](uint32_t member) { return number_of[member]; });
}

void EqualAssets::find_others() {
  struct Standing {
    uint32_t asset = 0;
    std::vector<uint64_t> rules;  // one entry for each rule: 1 if the rule matches the asset
  };
  // Indexed by the first of the assets with equal content.
  std::unordered_map<uint32_t, std::vector<Standing>> standing;
  for (uint32_t asset = 0; asset < options_.same_as.size(); ++asset)
    if (options_.same_as[asset] != asset) standing.try_emplace(options_.same_as[asset]);
  for (uint32_t asset = 0; asset < options_.same_as.size(); ++asset) {
    const auto found = standing.find(options_.same_as[asset]);
    if (found == standing.end()) continue;
    std::vector<uint64_t> matched(options_.rules.size());
    rules_for(options_.rules, content_.assets[asset].path, matched);
    const auto known = std::ranges::find(found->second, matched, &Standing::rules);
    if (known == found->second.end()) {
      found->second.push_back({asset, std::move(matched)});
    } else {
      stands_for_it_[asset] = known->asset;
      ++others_;
    }
  }
}

Content EqualAssets::content() const {
  Content content;
  content.paths = content_.paths;
  content.sources = content_.sources;
  content.assets.reserve(content_.assets.size() - others_);
  for (uint32_t asset = 0; asset < content_.assets.size(); ++asset)
    if (stands_for_it_[asset] == asset) content.assets.push_back(content_.assets[asset]);
  return content;
}

Profile EqualAssets::profile() const {
  Profile profile;
  std::vector<uint32_t> number_of(content_.assets.size(), kNone);
  std::vector<uint32_t> numbers;  // maps numbers of the old profile to numbers of the new one
  for (uint32_t i = 0; i < profile_.assets.size(); ++i) {
    const auto next = static_cast<uint32_t>(profile.assets.size());
    if (asset_of_[i] == kNone) {
      numbers.push_back(next);
      profile.assets.push_back(profile_.assets[i]);
      continue;
    }
    const uint32_t one = stands_for_it_[asset_of_[i]];
    if (number_of[one] == kNone) {
      number_of[one] = next;
      profile.assets.emplace_back(content_.assets[one].path);
    }
    numbers.push_back(number_of[one]);
  }
  std::vector<uint64_t> last_run(profile.assets.size(), 0);
  uint64_t number = 0;
  for (const ProfiledScenario& from : profile_.scenarios) {
    ProfiledScenario& scenario = profile.scenarios.emplace_back(from.name);
    for (const ProfiledRun& run : from.runs) {
      ++number;
      ProfiledRun& to = scenario.runs.emplace_back(run);
      to.assets = {};
      for (const uint32_t asset : run.assets)
        if (std::exchange(last_run[numbers[asset]], number) != number)
          to.assets.push_back(numbers[asset]);
    }
  }
  return profile;
}

PlanOptions EqualAssets::options() const {
  PlanOptions options = options_;
  options.same_as.clear();
  // Holds numbers in the content without the other assets.
  std::vector<uint32_t> number_of(content_.assets.size(), 0);
  for (uint32_t asset = 0, number = 0; asset < content_.assets.size(); ++asset)
    if (stands_for_it_[asset] == asset) number_of[asset] = number++;
  for (auto* maps : {&options.unrecorded.maps, &options.unrecorded.left_out})
    for (MentionedAssets& map : *maps) {
      for (uint32_t& asset : map.assets) asset = number_of[stands_for_it_[asset]];
      keep_each_once(map.assets);
    }
  if (options_.rewritten_by_copy.empty()) return options;
  // An edit of one of these assets makes the copy useless for that asset, so the highest figure
  // counts.
  options.rewritten_by_copy.clear();
  for (uint32_t asset = 0; asset < content_.assets.size(); ++asset) {
    if (stands_for_it_[asset] != asset) continue;
    double most = 0;
    for (const uint32_t member : group(asset))
      most = std::max(most, options_.rewritten_by_copy[member]);
    options.rewritten_by_copy.push_back(most);
  }
  return options;
}

class EqualAssets::Laying {
 public:
  Laying(const EqualAssets& equal, Layout& layout) : equal_(equal), layout_(layout) {
    for (uint32_t i = 0; i < layout.scenario_sets.size(); ++i)
      set_numbers_.emplace(layout.scenario_sets[i], i);
    find_readers();
    find_served();
  }

  void run() {
    for (LaidPack& pack : layout_.packs) {
      std::vector<LaidAsset> assets;
      assets.reserve(pack.assets.size());
      for (const LaidAsset& asset : pack.assets) lay(asset, assets);
      pack.assets = std::move(assets);
    }
  }

 private:
  using Set = std::vector<uint32_t>;  // indices of the layout's scenarios, ascending

  // Finds, by path, the assets that stand for others in the layout, and the scenarios that read
  // each asset in some run. The typical scenario and unrecorded maps may read everything that any
  // scenario reads; those maps also read what their files mention.
  void find_readers() {
    std::unordered_map<std::string_view, uint32_t> numbers;
    for (uint32_t i = 0; i < layout_.scenarios.size(); ++i)
      numbers.emplace(layout_.scenarios[i].name, i);
    const std::vector<Asset>& assets = equal_.content_.assets;
    for (uint32_t asset = 0; asset < assets.size(); ++asset)
      if (equal_.group(asset).size() > 1) standing_.emplace(assets[asset].path, asset);
    readers_.resize(assets.size());
    for (const ProfiledScenario& scenario : equal_.profile_.scenarios) {
      const uint32_t number = numbers.at(scenario.name);
      numbers.erase(scenario.name);
      for (const ProfiledRun& run : scenario.runs)
        for (const uint32_t path : run.assets)
          if (const uint32_t asset = equal_.asset_of_[path]; asset != kNone)
            readers_[asset].push_back(number);
    }
    for (uint32_t asset = 0; asset < readers_.size(); ++asset)
      if (!readers_[asset].empty() && equal_.group(equal_.stands_for_it_[asset]).size() > 1)
        for (const auto& [name, unrecorded] : numbers) readers_[asset].push_back(unrecorded);
    for (const MentionedAssets& map : equal_.options_.unrecorded.maps)
      if (const auto number = numbers.find(map.scenario); number != numbers.end())
        for (const uint32_t asset : map.assets) readers_[asset].push_back(number->second);
    for (Set& readers : readers_) keep_each_once(readers);
  }

  // Finds out for each asset whether a copy of its stand-in serves one of the asset's readers.
  void find_served() {
    is_served_.resize(readers_.size());
    for (const LaidPack& pack : layout_.packs)
      for (const LaidAsset& asset : pack.assets)
        if (const auto found = standing_.find(asset.path); found != standing_.end())
          for (const uint32_t member : equal_.group(found->second))
            if (!common(asset, member).empty()) is_served_[member] = 1;
  }

  Set common(const LaidAsset& copy, uint32_t member) const {
    Set both;
    std::ranges::set_intersection(layout_.scenario_sets[copy.scenario_set], readers_[member],
                                  std::back_inserter(both));
    return both;
  }

  void lay(const LaidAsset& copy, std::vector<LaidAsset>& into) {
    const auto found = standing_.find(copy.path);
    if (found == standing_.end()) {
      into.push_back(copy);
      return;
    }
    // If all readers have their own copies, the common pack still keeps the asset for scenarios
    // that nobody recorded.
    const bool is_kept = layout_.scenario_sets[copy.scenario_set].empty();
    for (const uint32_t member : equal_.group(found->second)) {
      const Set readers = common(copy, member);
      if (readers.empty() && is_served_[member] != 0 && !is_kept) continue;
      is_served_[member] = 1;
      into.push_back(
          lay_asset(equal_.content_.assets[member], number_of(readers), copy.alignment_bytes));
    }
  }

  uint32_t number_of(const Set& set) {
    const auto [known, is_new] =
        set_numbers_.emplace(set, static_cast<uint32_t>(layout_.scenario_sets.size()));
    if (is_new) layout_.scenario_sets.push_back(set);
    return known->second;
  }

  const EqualAssets& equal_;
  Layout& layout_;
  std::map<Set, uint32_t> set_numbers_;
  std::unordered_map<std::string_view, uint32_t> standing_;
  std::vector<Set> readers_;        // indexed by asset
  std::vector<uint8_t> is_served_;  // indexed by asset
};

void EqualAssets::lay_others(Layout& layout) const {
  if (!is_empty()) Laying(*this, layout).run();
}

EqualContent weigh_equal(const Profile& profile, const Content& content, PlanOptions options) {
  EqualContent equal = count_equal(content, options.same_as);
  if (equal.assets == 0 || equal.bytes < content.size_bytes() / 100) return equal;
  options.same_as.clear();
  const Plan apart = plan_layout(profile, content, options);
  equal.apart = {.recorded_s = apart.layout.prediction->seconds,
                 .packed_bytes = apart.packed_bytes()};
  return equal;
}

}  // namespace seekless

#include "packer/layout/relayout_gain.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "packer/host/in_parallel.h"
#include "packer/layout/draft.h"
#include "packer/layout/needs.h"
#include "packer/layout/predict.h"

namespace seekless {
namespace {

// The layout as the forecast takes it, its scenarios numbered as the profile's.
Draft draft_of(const Layout& layout, const Profile& profile, const HashedContent& numbers) {
  std::map<std::string_view, uint32_t> known;
  for (uint32_t i = 0; i < profile.scenarios.size(); ++i) known[profile.scenarios[i].name] = i;
  Draft draft;
  for (const std::vector<uint32_t>& set : layout.scenario_sets) {
    std::vector<uint32_t>& numbered = draft.sets.emplace_back();
    for (const uint32_t scenario : set)
      if (const auto found = known.find(layout.scenarios[scenario].name); found != known.end())
        numbered.push_back(found->second);
    std::ranges::sort(numbered);
  }
  for (const LaidPack& pack : layout.packs) {
    DraftPack& into = draft.packs.emplace_back();
    into.kind = pack.kind;
    for (const LaidAsset& asset : pack.assets)
      into.assets.push_back({numbers.find(asset.path), asset.scenario_set});
  }
  return draft;
}

}  // namespace

NewRecordings new_recordings(const LayoutLock& lock, const Profile& profile) {
  std::map<std::string_view, uint64_t> used;
  for (const LaidScenario& scenario : lock.scenarios) used[scenario.name] = scenario.runs;
  NewRecordings found;
  for (const ProfiledScenario& scenario : profile.scenarios) {
    const auto known = used.find(scenario.name);
    const uint64_t before = known == used.end() ? 0 : known->second;
    if (scenario.runs.size() <= before) continue;
    found.count += scenario.runs.size() - before;
    found.scenarios.push_back(scenario.name);
  }
  return found;
}

double weighted_sweep_s(const Layout& layout, const Profile& profile, const Content& content,
                        const PlanOptions& options) {
  std::vector<AssetRules> rules(content.assets.size());
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets)
      rules[HashedContent(content, {}).find(asset.path)].alignment_bytes = asset.alignment_bytes;
  DraftInput input = {.content = content,
                      .rules = rules,
                      .weights = {},
                      .sub_names = {},
                      .costs = read_costs(options.drive, content.size_bytes()),
                      .arrange = {},
                      .block_bytes = layout.block_bytes,
                      .threads = thread_count(options.threads)};
  for (const ProfiledScenario& scenario : profile.scenarios) {
    const auto found = options.weights.find(scenario.name);
    input.weights.push_back(found == options.weights.end() ? 1 : found->second);
  }
  const Needs needs = find_needs(profile, content, options.sessions);
  const auto sums =
      forecast(input, draft_of(layout, profile, HashedContent(content, {})), needs.runs);
  double seconds = 0;
  for (size_t i = 0; i < sums.size(); ++i)
    if (!needs.runs[i].empty())
      seconds += input.weights[i] * sums[i].sweep_s / static_cast<double>(needs.runs[i].size());
  return seconds;
}

bool RelayoutGain::pays(double seconds_per_mb) const {
  return saved_s() > 0 &&
         saved_s() >= seconds_per_mb * static_cast<double>(patch.total().chunk_bytes) / 1e6;
}

RelayoutGain relayout_gain(const LayoutLock& lock, const Layout& kept, const Layout& fresh,
                           const Profile& profile, const HashedContent& hashed,
                           const PlanOptions& options) {
  return {.kept_s = weighted_sweep_s(kept, profile, hashed.content(), options),
          .fresh_s = weighted_sweep_s(fresh, profile, hashed.content(), options),
          .patch = predict_patch(lock, fresh, hashed)};
}

}  // namespace seekless

#include "packer/keep/predict_kept.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/in_parallel.h"
#include "packer/keep/lock.h"
#include "packer/plan/draft.h"
#include "packer/plan/needs.h"
#include "packer/plan/predict.h"

namespace seekless {
namespace {

// Turns the layout into a draft for the forecast. The draft's scenarios get the profile's numbers.
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

class KeptLayout {
 public:
  KeptLayout(const Layout& layout, const Profile& profile, const Content& content,
             const PlanOptions& options)
      : layout_(layout),
        content_(content),
        options_(options),
        rules_(content.assets.size()),
        needs_(find_needs(profile, content, options.sessions)),
        draft_(draft_of(layout, profile, HashedContent(content, {}))),
        input_({.content = content,
                .rules = rules_,
                .weights = {},
                .sub_names = {},
                .drive = options.drive,
                .costs = read_costs(options.drive, content.size_bytes()),
                .arrange = {},
                .rewritten_by_copy = {},
                .block_bytes = layout.block_bytes,
                .threads = thread_count(options.threads)}) {
    for (size_t pack = 0; pack < layout.packs.size(); ++pack)
      for (size_t i = 0; i < layout.packs[pack].assets.size(); ++i)
        rules_[draft_.packs[pack].assets[i].asset].alignment_bytes =
            layout.packs[pack].assets[i].alignment_bytes;
    for (const ProfiledScenario& scenario : profile.scenarios) {
      const auto found = options.weights.find(scenario.name);
      input_.weights.push_back(found == options.weights.end() ? 1 : found->second);
    }
  }

  double weighted_sweep_s() const {
    const auto sums = forecast(input_, draft_, needs_.runs);
    double seconds = 0;
    for (size_t i = 0; i < sums.size(); ++i)
      if (!needs_.runs[i].empty())
        seconds += input_.weights[i] * sums[i].sweep_s / static_cast<double>(needs_.runs[i].size());
    return seconds;
  }

  // Returns the prediction for each scenario of the profile.
  std::vector<PredictedLoad> predicted() const {
    std::vector<double> counts(needs_.runs.size(), 1);
    std::vector<LoadForecast> sums = forecast(input_, draft_, single_runs(needs_));
    hold_out(sums, counts);
    const std::vector<uint64_t> needed = needed_bytes();
    std::vector<PredictedLoad> loads(needs_.runs.size());
    for (size_t i = 0; i < loads.size(); ++i) {
      loads[i] = to_predicted(input_.costs, sums[i], counts[i], needed[i]);
      loads[i].is_held_out = needs_.runs[i].size() > 1;
      loads[i].in_memory_bytes = needs_.in_memory_bytes[i];
    }
    return loads;
  }

  Prediction prediction(const std::vector<PredictedLoad>& loads) const {
    double seconds = 0;
    for (size_t i = 0; i < loads.size(); ++i) seconds += input_.weights[i] * loads[i].sweep_s;
    return {.drive = options_.drive.name,
            .copied_bytes = copied_bytes(),
            .seconds = to_microseconds(seconds),
            .curve = {},
            .reasons =
                "The layout is kept as the lock has it. A new one (--relayout) tells what "
                "copies would cost and bring."};
  }

 private:
  void hold_out(std::vector<LoadForecast>& sums, std::vector<double>& counts) const {
    const uint32_t folds = fold_count(needs_);
    for (uint32_t fold = 0; fold < folds; ++fold) {
      const RunsByScenario out = held_out(needs_, fold, folds);
      const std::vector<LoadForecast> of_part =
          forecast(input_, draft_without(needs_without(needs_, fold, folds)), out);
      for (size_t scenario = 0; scenario < sums.size(); ++scenario) {
        if (out[scenario].empty()) continue;
        if (fold == 0) counts[scenario] = 0;
        sums[scenario] += of_part[scenario];
        counts[scenario] += static_cast<double>(out[scenario].size());
      }
    }
  }

  // Returns the draft as if only the runs of `part` had been recorded. A scenario's sweep leaves
  // out assets that the scenario reads only in other runs.
  Draft draft_without(const Needs& part) const {
    Draft draft = draft_;
    std::map<std::vector<uint32_t>, uint32_t> numbers;
    for (uint32_t i = 0; i < draft.sets.size(); ++i) numbers.emplace(draft.sets[i], i);
    for (DraftPack& pack : draft.packs)
      for (DraftAsset& of : pack.assets) {
        std::vector<uint32_t> set = draft.sets[of.set];
        std::erase_if(set, [&](uint32_t scenario) {
          return std::ranges::binary_search(needs_.readers[of.asset], scenario) &&
                 !std::ranges::binary_search(part.readers[of.asset], scenario);
        });
        if (set.size() == draft.sets[of.set].size()) continue;
        const auto [known, is_new] = numbers.emplace(set, static_cast<uint32_t>(draft.sets.size()));
        if (is_new) draft.sets.push_back(std::move(set));
        of.set = known->second;
      }
    return draft;
  }

  // Returns the bytes of assets that some run reads and the sweep reads, plus the mean bytes that
  // runs request beyond the sweep.
  std::vector<uint64_t> needed_bytes() const {
    std::vector<std::vector<uint32_t>> swept(needs_.runs.size());
    std::vector<char> is_laid(content_.assets.size(), 0);
    for (const DraftPack& pack : draft_.packs)
      for (const DraftAsset& of : pack.assets) {
        is_laid[of.asset] = 1;
        for (const uint32_t scenario : draft_.sets[of.set]) swept[scenario].push_back(of.asset);
      }
    std::vector<uint64_t> bytes(needs_.runs.size());
    std::vector<uint32_t> counts(content_.assets.size());
    std::vector<char> is_swept(content_.assets.size(), 0);
    for (size_t scenario = 0; scenario < bytes.size(); ++scenario) {
      const size_t runs = needs_.runs[scenario].size();
      for (const uint32_t asset : swept[scenario]) is_swept[asset] = 1;
      for_each_read(needs_.runs[scenario], counts, [&](uint32_t asset, uint32_t with) {
        if (is_laid[asset] != 0)
          bytes[scenario] +=
              content_.assets[asset].place.size_bytes * (is_swept[asset] != 0 ? runs : with) / runs;
      });
      for (const uint32_t asset : swept[scenario]) is_swept[asset] = 0;
    }
    return bytes;
  }

  uint64_t copied_bytes() const {
    uint64_t bytes = 0;
    for (const LaidPack& pack : layout_.packs) bytes += pack.size_bytes();
    std::vector<char> is_known(content_.assets.size(), 0);
    for (const DraftPack& pack : draft_.packs)
      for (const DraftAsset& of : pack.assets)
        if (std::exchange(is_known[of.asset], 1) == 0)
          bytes -= content_.assets[of.asset].place.size_bytes;
    return bytes;
  }

  const Layout& layout_;
  const Content& content_;
  const PlanOptions& options_;
  std::vector<AssetRules> rules_;  // indexed by asset
  const Needs needs_;
  const Draft draft_;
  DraftInput input_;
};

}  // namespace

double weighted_sweep_s(const Layout& layout, const Profile& profile, const Content& content,
                        const PlanOptions& options) {
  return KeptLayout(layout, profile, content, options).weighted_sweep_s();
}

void predict_kept(Layout& layout, const Profile& profile, const Content& content,
                  const PlanOptions& options) {
  const KeptLayout kept(layout, profile, content, options);
  const std::vector<PredictedLoad> loads = kept.predicted();
  for (size_t i = 0; i < loads.size(); ++i)
    for (LaidScenario& scenario : layout.scenarios)
      if (scenario.name == profile.scenarios[i].name) scenario.predicted = loads[i];
  layout.prediction = kept.prediction(loads);
}

}  // namespace seekless

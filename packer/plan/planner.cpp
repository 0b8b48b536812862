#include "packer/plan/planner.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "packer/base/in_parallel.h"
#include "packer/base/none.h"
#include "packer/plan/draft.h"
#include "packer/plan/equal_assets.h"
#include "packer/plan/internal/outlier_runs.h"
#include "packer/plan/internal/reasons.h"
#include "packer/plan/internal/seldom_read.h"
#include "packer/plan/internal/typical.h"
#include "packer/plan/internal/unrecorded_draft.h"
#include "packer/plan/predict.h"
#include "packer/profile/maps.h"
#include "runtime/asset_path.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

// With more reads than this in all runs together, predictions are tested on only one fold of the
// runs, because each test is a separate plan.
constexpr uint64_t kMostReadsOfAllFolds = 2'000'000;
// Number of slots for exchange() to look at: about a second for the final layout, less for trials.
constexpr uint64_t kEffort = 30'000'000;
constexpr uint64_t kTrialEffort = 3'000'000;
// Used for layouts that are only compared with each other.
constexpr uint64_t kComparedMoveEffort = 1'000'000;
// To find the typical assets, each of up to this many parts of the maps is left out in turn. Each
// takes a separate plan.
constexpr uint32_t kMostTypicalFolds = 5;

class LayoutPlanner {
 public:
  LayoutPlanner(const Profile& profile, const Content& content, const PlanOptions& options)
      : profile_(profile),
        content_(content),
        options_(options),
        needs_(find_needs(profile, content, options.sessions)),
        matched_(options.rules.size()) {}

  Plan plan() {
    prepare();
    DraftInput input = draft_input(kEffort);
    draft_ = make_draft(input, needs_);
    lay_unrecorded_sweeps(input);
    // Forecasts take much memory, so they are finished before the layout is filled.
    std::vector<double> counts(scenario_count(), 1);
    std::vector<LoadForecast> sums = forecast(input, draft_, single_runs(needs_));
    hold_out(sums, counts);
    fill_layout();
    predict(input, sums, counts);
    warn();
    return std::move(plan_);
  }

 private:
  void prepare() {
    find_outliers();
    name_packs();
    apply_rules();
    leave_seldom_read();
    add_unrecorded();
  }

  uint32_t scenario_count() const { return needs_.scenario_count(); }
  uint64_t size_bytes(uint32_t asset) const { return content_.assets[asset].place.size_bytes; }

  void find_outliers() {
    std::vector<uint32_t> local(content_.assets.size(), kNone);
    for (uint32_t scenario = 0; scenario < scenario_count(); ++scenario) {
      const std::vector<NeededRun>& runs = needs_.runs[scenario];
      if (runs.size() < 3) continue;
      std::vector<uint64_t> sizes;
      std::vector<std::vector<uint32_t>> numbered;
      for (const NeededRun& run : runs) {
        std::vector<uint32_t>& of = numbered.emplace_back();
        of.reserve(run.size());
        for (const uint32_t asset : run.assets()) {
          if (local[asset] == kNone) {
            local[asset] = static_cast<uint32_t>(sizes.size());
            sizes.push_back(size_bytes(asset));
          }
          of.push_back(local[asset]);
        }
      }
      for (const NeededRun& run : runs)
        for (const uint32_t asset : run.assets()) local[asset] = kNone;
      std::vector<uint32_t> all(runs.size());
      for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
      for (const uint32_t run : find_outlier_runs(RunSet(sizes, numbered, {}), all))
        outliers_.push_back({scenario, run});
    }
    if (options_.drop_outliers) drop_outliers();
  }

  // Also drops runs that are empty because all their assets are gone.
  void drop_outliers() {
    for (auto outlier = outliers_.rbegin(); outlier != outliers_.rend(); ++outlier) {
      std::vector<NeededRun>& runs = needs_.runs[outlier->scenario];
      runs.erase(runs.begin() + outlier->run);
    }
    for (auto& runs : needs_.runs)
      std::erase_if(runs, [](const NeededRun& run) { return run.empty(); });
    needs_.find_readers();
  }

  void apply_rules() {
    rules_.reserve(content_.assets.size());
    for (uint32_t asset = 0; asset < content_.assets.size(); ++asset) {
      rules_.push_back(rules_for(options_.rules, content_.assets[asset].path, matched_));
      if (!rules_.back().pack.empty()) rules_.back().pack = pack_called(rules_.back().pack);
      if (rules_.back().excluded)
        excluded_but_read_ += needs_.readers[asset].empty() ? 0 : 1;
      else
        content_bytes_ += size_bytes(asset);
    }
  }

  // Different scenario names may give the same file name, so a name that is taken gets a number.
  void name_packs() {
    for (const char* name : {"catalog", "cold", "common", kUnrecordedPack})
      pack_names_.emplace(name, name);
    for (const ProfiledScenario& scenario : profile_.scenarios) name_pack_of(scenario.name);
  }

  void name_pack_of(const std::string& scenario) {
    const std::string wanted = pack_name_of(scenario);
    std::string name = wanted;
    for (int i = 2; !pack_names_.emplace(seekless::fold_case(name), name).second; ++i)
      name = fmt::format("{}-{}", wanted, i);
    sub_names_.push_back(std::move(name));
    scenario_names_.push_back(scenario);
  }

  void leave_seldom_read() {
    seldom_ = find_seldom_read(compared_input(), needs_, tried_folds());
    if (seldom_.empty()) return;
    needs_.ask_bytes.resize(scenario_count(), Needs::kNeverAsk);
    for (const SeldomRead& of : seldom_) needs_.ask_bytes[of.scenario] = of.ask_bytes;
    needs_.find_readers();
  }

  // Adds the typical scenario and unrecorded maps after all other scenarios. A recorded scenario
  // keeps its name.
  void add_unrecorded() {
    const std::vector<uint32_t> maps = find_maps(scenario_names_);
    if (maps.empty()) return;
    const std::string name = runtime::typical_of(scenario_names_[maps.front()]);
    if (is_named(name)) return;
    const DraftInput input = compared_input();
    const uint32_t folds = has_many_reads() ? 1 : kMostTypicalFolds;
    typical_ = find_typical(input, needs_, maps, mentioned_by(maps), folds);
    if (typical_.assets.empty()) return;
    if (!typical_.with_mentioned) {
      needs_.add_reader(typical_.assets);
      name_pack_of(name);
      return;
    }
    unrecorded_.push_back({name, typical_.assets});
    for (const MentionedAssets& map : options_.unrecorded.maps) {
      if (is_named(map.scenario) || map.scenario == name) continue;
      std::vector<uint32_t> assets;
      std::ranges::set_union(typical_.assets, without_excluded(map), std::back_inserter(assets));
      unrecorded_.push_back({map.scenario, std::move(assets)});
    }
  }

  void lay_unrecorded_sweeps(DraftInput& input) {
    std::vector<std::vector<uint32_t>> sweeps;
    for (const MentionedAssets& of : unrecorded_) sweeps.push_back(of.assets);
    lay_unrecorded(input, sweeps, scenario_count(), draft_);
    input.weights.resize(scenario_count() + sweeps.size());
  }

  bool is_named(const std::string& scenario) const {
    return std::ranges::find(scenario_names_, scenario) != scenario_names_.end();
  }

  MentionedByMaps mentioned_by(const std::vector<uint32_t>& maps) const {
    MentionedByMaps mentioned;
    for (const uint32_t map : maps) {
      const auto found = std::ranges::find(options_.unrecorded.left_out, scenario_names_[map],
                                           &MentionedAssets::scenario);
      if (found == options_.unrecorded.left_out.end()) return {};
      mentioned.recorded.push_back(without_excluded(*found));
    }
    for (const MentionedAssets& map : options_.unrecorded.maps)
      mentioned.unrecorded.push_back(without_excluded(map));
    return mentioned;
  }

  std::vector<uint32_t> without_excluded(const MentionedAssets& map) const {
    std::vector<uint32_t> assets = map.assets;
    std::erase_if(assets, [&](uint32_t asset) { return rules_[asset].excluded; });
    return assets;
  }

  // Returns the number of recorded scenarios. In the layout, the typical one and unrecorded maps
  // follow them.
  uint32_t recorded_count() const { return static_cast<uint32_t>(profile_.scenarios.size()); }

  // Some systems treat names that differ only in case as the same file.
  const std::string& pack_called(const std::string& name) {
    return pack_names_.try_emplace(seekless::fold_case(name), name).first->second;
  }

  DraftInput draft_input(uint64_t effort) const {
    DraftInput input = {.content = content_,
                        .rules = rules_,
                        .weights = {},
                        .sub_names = sub_names_,
                        .drive = options_.drive,
                        .costs = read_costs(options_.drive, content_bytes_),
                        .arrange = {},
                        .arranged_before = arranged_before_,
                        .rewritten_by_copy = options_.rewritten_by_copy,
                        .block_bytes = options_.block_bytes,
                        .threads = thread_count(options_.threads)};
    for (const std::string& name : scenario_names_) {
      const auto found = options_.weights.find(name);
      input.weights.push_back(found == options_.weights.end() ? 1 : found->second);
    }
    input.arrange.effort = effort;
    input.arrange.gain_s_per_gb = options_.gain_s_per_gb;
    if (options_.budget_ratio) {
      const double most = (*options_.budget_ratio - 1) * static_cast<double>(content_bytes_);
      input.arrange.budget_bytes = most < 9e18 ? static_cast<uint64_t>(most) : UINT64_MAX;
    }
    return input;
  }

  void fill_layout() {
    Layout& layout = plan_.layout;
    layout.block_bytes = options_.block_bytes;
    layout.fold_case = options_.fold_case;
    layout.read_through_bytes = draft_.shared.costs.break_even_bytes();
    layout.paths = content_.paths;
    layout.sources = content_.sources;
    layout.scenario_sets = draft_.sets;
    for (const ProfiledScenario& scenario : profile_.scenarios)
      layout.scenarios.push_back({scenario.name, static_cast<uint32_t>(scenario.runs.size()), {}});
    for (size_t i = recorded_count(); i < scenario_names_.size(); ++i)
      layout.scenarios.push_back({scenario_names_[i], 0, {}});
    for (const MentionedAssets& of : unrecorded_) layout.scenarios.push_back({of.scenario, 0, {}});
    for (const DraftPack& from : draft_.packs) {
      LaidPack& pack = layout.packs.emplace_back();
      pack.kind = from.kind;
      pack.name = !from.pinned_name.empty()      ? from.pinned_name
                  : from.scenario != kNoScenario ? sub_names_[from.scenario]
                                                 : std::string(to_string(from.kind));
      pack.assets.reserve(from.assets.size());
      for (const DraftAsset& of : from.assets)
        pack.assets.push_back(
            lay_asset(content_.assets[of.asset], of.set, rules_[of.asset].alignment_bytes));
      plan_.pack_bytes.push_back(pack.size_bytes());
    }
  }

  bool has_several_runs(uint32_t scenario) const { return needs_.runs[scenario].size() > 1; }

  // Fills in the layout's predictions. `sums` and `counts` are indexed by scenario; `counts` is the
  // number of runs in a sum.
  void predict(const DraftInput& input, const std::vector<LoadForecast>& sums,
               const std::vector<double>& counts) {
    const std::vector<uint64_t> needed = needed_bytes();
    for (uint32_t scenario = 0; scenario < recorded_count(); ++scenario) {
      PredictedLoad load =
          to_predicted(input.costs, sums[scenario], counts[scenario], needed[scenario]);
      load.is_held_out = has_several_runs(scenario);
      load.in_memory_bytes = needs_.in_memory_bytes[scenario];
      plan_.layout.scenarios[scenario].predicted = load;
    }
    if (!typical_.assets.empty())
      plan_.layout.scenarios[recorded_count()].predicted = predict_typical(input);
    plan_.layout.prediction = make_prediction(input);
  }

  // Returns the prediction for an unrecorded map.
  PredictedLoad predict_typical(const DraftInput& input) const {
    PredictedLoad load =
        to_predicted(input.costs, typical_.load, 1, static_cast<uint64_t>(typical_.needed_bytes));
    load.is_held_out = true;
    return load;
  }

  std::vector<uint64_t> needed_bytes() const {
    std::vector<uint64_t> bytes(scenario_count());
    for (uint32_t asset = 0; asset < content_.assets.size(); ++asset)
      if (!rules_[asset].excluded)
        for (const uint32_t reader : needs_.readers[asset]) bytes[reader] += size_bytes(asset);
    for (const SeldomRead& of : seldom_) bytes[of.scenario] += of.read_bytes;
    return bytes;
  }

  bool has_many_reads() const {
    uint64_t reads = 0;
    for (const auto& runs : needs_.runs)
      for (const auto& run : runs) reads += run.size();
    return reads > kMostReadsOfAllFolds;
  }

  DraftInput trial_input() const {
    DraftInput input = draft_input(kTrialEffort);
    input.is_trial = true;
    return input;
  }

  DraftInput compared_input() const {
    DraftInput input = trial_input();
    input.arrange.move_effort = kComparedMoveEffort;
    return input;
  }

  // For scenarios with several runs, replaces `sums` by the sums over held-out runs, and `counts`
  // by the number of these runs.
  void hold_out(std::vector<LoadForecast>& sums, std::vector<double>& counts) const {
    for (uint32_t fold = 0; fold < tried_folds(); ++fold) {
      const RunsByScenario out = held_out(needs_, fold, fold_count(needs_));
      const std::vector<LoadForecast> of_fold = loads_held_out(fold);
      for (uint32_t scenario = 0; scenario < scenario_count(); ++scenario) {
        if (out[scenario].empty()) continue;
        if (fold == 0) counts[scenario] = 0;
        sums[scenario] += of_fold[scenario];
        counts[scenario] += static_cast<double>(out[scenario].size());
      }
    }
  }

  uint32_t tried_folds() const {
    return std::min(fold_count(needs_), has_many_reads() ? 1U : UINT32_MAX);
  }

  // Forecasts the runs that a fold holds out, on a draft made without them.
  std::vector<LoadForecast> loads_held_out(uint32_t fold) const {
    const DraftInput input = trial_input();
    const uint32_t folds = fold_count(needs_);
    return forecast(input, make_draft(input, needs_without(needs_, fold, folds)),
                    held_out(needs_, fold, folds));
  }

  double recorded_s() const {
    double sum = 0;
    for (size_t i = 0; i < recorded_count(); ++i)
      sum += draft_.shared.weights[i] * plan_.layout.scenarios[i].predicted->sweep_s;
    return sum;
  }

  Prediction make_prediction(const DraftInput& input) {
    ArrangementCost cost(draft_.shared);
    const double jumps_s = cost.weighted_seconds(draft_.arrangement, recorded_count());
    const double seconds = recorded_s();
    Prediction prediction = {.drive = options_.drive.name,
                             .copied_bytes = copied_bytes(draft_.shared, draft_.arrangement),
                             .seconds = to_microseconds(seconds),
                             .curve = {},
                             .reasons = {}};
    prediction.curve = price_curve(
        draft_.shared,
        {.bytes = content_bytes_, .recorded = recorded_count(), .other_seconds = seconds - jumps_s},
        kTrialEffort, *arranged_before_);
    for (CopyPrice& price : prediction.curve) {
      price.size_ratio = to_microseconds(price.size_ratio);
      price.seconds = to_microseconds(price.seconds);
    }
    prediction.reasons = explain({.content = content_,
                                  .content_bytes = content_bytes_,
                                  .profile = profile_,
                                  .layout = plan_.layout,
                                  .prediction = prediction,
                                  .costs = input.costs,
                                  .gain_s_per_gb = options_.gain_s_per_gb,
                                  .budget_ratio = options_.budget_ratio,
                                  .needs = needs_,
                                  .outliers = outliers_,
                                  .seldom = seldom_,
                                  .typical = typical_});
    return prediction;
  }

  void warn() {
    std::ranges::copy(options_.unrecorded.warnings, std::back_inserter(plan_.warnings));
    std::set<std::string> gone;
    for (const GoneAssets& of : needs_.gone) gone.insert(of.paths.begin(), of.paths.end());
    plan_.gone.assign(gone.begin(), gone.end());
    for (size_t i = 0; i < matched_.size(); ++i)
      if (matched_[i] == 0)
        plan_.warnings.push_back(
            fmt::format("no asset matches the rule for '{}'", options_.rules[i].glob));
    if (excluded_but_read_ > 0)
      plan_.warnings.push_back(
          fmt::format("{} excluded assets were read when recording: no sweep will read them",
                      excluded_but_read_));
    std::set<std::string> known;
    known.insert(scenario_names_.begin(), scenario_names_.end());
    for (const MentionedAssets& of : unrecorded_) known.insert(of.scenario);
    for (const auto& [name, weight] : options_.weights)
      if (!known.contains(name))
        plan_.warnings.push_back(fmt::format("weight for '{}': there is no such scenario", name));
    std::set<std::string> unknown;
    for (const Session& session : options_.sessions)
      for (const std::string& name : session)
        if (!known.contains(name)) unknown.insert(name);
    for (const std::string& name : unknown)
      plan_.warnings.push_back(fmt::format("session with '{}': there is no such scenario", name));
  }

  const Profile& profile_;
  const Content& content_;
  const PlanOptions& options_;
  Plan plan_;
  Needs needs_;
  Draft draft_;
  std::shared_ptr<ArrangedBefore> arranged_before_ = std::make_shared<ArrangedBefore>();
  std::vector<OutlierRun> outliers_;
  std::vector<AssetRules> rules_;                  // indexed by asset
  std::vector<uint64_t> matched_;                  // indexed by rule
  std::map<std::string, std::string> pack_names_;  // indexed by the names with case folded
  std::vector<std::string> sub_names_;             // indexed by scenario
  std::vector<std::string>
      scenario_names_;  // scenarios that the draft is made for; the typical one comes last
  std::vector<SeldomRead> seldom_;
  Typical typical_;
  std::vector<MentionedAssets> unrecorded_;  // sweeps: the typical scenario's first, then the maps'
  uint64_t content_bytes_ = 0;               // size of the content without excluded assets
  uint64_t excluded_but_read_ = 0;
};

}  // namespace

Plan plan_layout(const Profile& profile, const Content& content, const PlanOptions& options) {
  if (!is_in_planning_order(profile))
    return plan_layout(in_planning_order(profile), content, options);
  const EqualAssets equal(profile, content, options);
  if (equal.is_empty()) return LayoutPlanner(profile, content, options).plan();
  Plan plan = plan_layout(equal.profile(), equal.content(), equal.options());
  equal.lay_others(plan.layout);
  return plan;
}

}  // namespace seekless

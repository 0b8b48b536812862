#include "packer/plan/needs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "packer/base/each_once.h"
#include "packer/base/none.h"
#include "packer/profile/find_assets.h"

namespace seekless {
namespace {

constexpr uint32_t kFolds = 5;  // upper limit

using NumberedSessions = std::vector<std::vector<uint32_t>>;  // as indices in the profile

class NeedsFinder {
 public:
  NeedsFinder(const Profile& profile, const Content& content) : profile_(profile) {
    needs_.content = &content;
    needs_.readers.resize(content.assets.size());
    needs_.runs.resize(profile.scenarios.size());
    needs_.in_memory_bytes.resize(profile.scenarios.size());
    needs_.asset_of = std::make_shared<std::vector<uint32_t>>(find_assets(profile, content));
    last_seen_.assign(content.assets.size(), 0);
    for (uint32_t scenario = 0; scenario < profile.scenarios.size(); ++scenario) add_runs(scenario);
  }

  // Removes from each scenario's runs the assets that are already in memory, according to
  // `sessions`.
  void apply(const std::vector<Session>& sessions, const Content& content) {
    const NumberedSessions numbered = number(sessions);
    RunsByScenario left = needs_.runs;
    for (uint32_t scenario = 0; scenario < needs_.scenario_count(); ++scenario) {
      const std::vector<std::vector<uint32_t>> earlier = earlier_ones(scenario, numbered);
      if (earlier.empty()) continue;
      const std::vector<uint32_t> known = in_memory(scenario, earlier);
      for (const uint32_t asset : known)
        needs_.in_memory_bytes[scenario] += content.assets[asset].place.size_bytes;
      if (known.empty()) continue;
      for (NeededRun& run : left[scenario])
        run = kept_of(run.numbers(),
                      [&](uint32_t asset) { return !std::ranges::binary_search(known, asset); });
    }
    needs_.runs = std::move(left);
  }

  Needs finish() {
    needs_.find_readers();
    return std::move(needs_);
  }

 private:
  void add_runs(uint32_t scenario) {
    std::set<std::string> gone;
    for (const ProfiledRun& run : profile_.scenarios[scenario].runs) {
      ++run_number_;
      size_t kept = 0;
      const auto is_kept = [&](uint32_t asset) {
        if (asset == kNone || last_seen_[asset] == run_number_) return false;
        last_seen_[asset] = run_number_;
        return true;
      };
      for (const uint32_t number : run.assets) {
        if (asset_of(number) == kNone) gone.insert(profile_.assets[number]);
        kept += is_kept(asset_of(number)) ? 1 : 0;
      }
      const bool is_whole = kept == run.assets.size();
      ++run_number_;
      needs_.runs[scenario].push_back(is_whole ? NeededRun(run.assets, *needs_.asset_of)
                                               : kept_of(run.assets, is_kept));
    }
    if (!gone.empty())
      needs_.gone.push_back({profile_.scenarios[scenario].name, {gone.begin(), gone.end()}});
  }

  uint32_t asset_of(uint32_t number) const { return (*needs_.asset_of)[number]; }

  template <typename IsKept>
  NeededRun kept_of(const NumberList& run, const IsKept& is_kept) {
    std::vector<uint32_t> kept;
    for (const uint32_t number : run)
      if (is_kept(asset_of(number))) kept.push_back(number);
    needs_.changed_runs.push_back(std::make_unique<const NumberList>(kept));
    return {*needs_.changed_runs.back(), *needs_.asset_of};
  }

  // Replaces scenario names by their indices, and skips names that the profile doesn't have.
  NumberedSessions number(const std::vector<Session>& sessions) const {
    std::map<std::string_view, uint32_t> numbers;
    for (uint32_t i = 0; i < profile_.scenarios.size(); ++i)
      numbers.emplace(profile_.scenarios[i].name, i);
    NumberedSessions numbered;
    for (const Session& session : sessions) {
      std::vector<uint32_t>& of = numbered.emplace_back();
      for (const std::string& name : session)
        if (const auto found = numbers.find(name); found != numbers.end())
          of.push_back(found->second);
    }
    return numbered;
  }

  // Returns, for each session with this scenario, the scenarios played before it. Returns nothing
  // if the scenario comes first in some session.
  std::vector<std::vector<uint32_t>> earlier_ones(uint32_t scenario,
                                                  const NumberedSessions& sessions) const {
    std::vector<std::vector<uint32_t>> all;
    for (const std::vector<uint32_t>& session : sessions) {
      const auto at = std::ranges::find(session, scenario);
      if (at == session.begin() && at != session.end()) return {};
      if (at != session.end()) all.emplace_back(session.begin(), at);
    }
    return all;
  }

  std::vector<uint32_t> assets_of(uint32_t scenario) const {
    std::vector<uint32_t> assets;
    for (const NeededRun& run : needs_.runs[scenario])
      for (const uint32_t asset : run.assets()) assets.push_back(asset);
    keep_each_once(assets);
    return assets;
  }

  std::vector<uint32_t> in_memory(uint32_t scenario,
                                  const std::vector<std::vector<uint32_t>>& sessions) const {
    std::vector<uint32_t> known = assets_of(scenario);
    std::vector<uint32_t> again;
    for (const std::vector<uint32_t>& earlier : sessions) {
      std::vector<uint32_t> read;
      for (const uint32_t other : earlier) {
        const std::vector<uint32_t> assets = assets_of(other);
        read.insert(read.end(), assets.begin(), assets.end());
        add_read_again(scenario, other, again);
      }
      std::ranges::sort(read);
      std::erase_if(known,
                    [&](uint32_t asset) { return !std::ranges::binary_search(read, asset); });
    }
    std::ranges::sort(again);
    std::erase_if(known, [&](uint32_t asset) { return std::ranges::binary_search(again, asset); });
    return known;
  }

  // Adds the assets that runs of both scenarios read within one recording.
  void add_read_again(uint32_t scenario, uint32_t other, std::vector<uint32_t>& again) const {
    const std::vector<ProfiledRun>& runs = profile_.scenarios[scenario].runs;
    const std::vector<ProfiledRun>& others = profile_.scenarios[other].runs;
    for (size_t i = 0; i < runs.size(); ++i)
      for (size_t j = 0; j < others.size(); ++j) {
        if (runs[i].id.trace != others[j].id.trace) continue;
        const auto of_other = needs_.runs[other][j].assets();
        const std::unordered_set<uint32_t> before(of_other.begin(), of_other.end());
        for (const uint32_t asset : needs_.runs[scenario][i].assets())
          if (before.contains(asset)) again.push_back(asset);
      }
  }

  const Profile& profile_;
  Needs needs_;
  std::vector<uint32_t> last_seen_;  // indexed by asset: the number of the latest run that has it
  uint32_t run_number_ = 0;
};

}  // namespace

bool is_swept(uint64_t size_bytes, uint32_t with, uint32_t without, uint64_t ask_bytes) {
  return static_cast<double>(size_bytes) * without <= static_cast<double>(ask_bytes) * with;
}

void Needs::find_readers() {
  for (std::vector<uint32_t>& of : readers) of.clear();
  seldom_reader.clear();
  std::vector<uint32_t> counts;
  for (uint32_t scenario = 0; scenario < scenario_count(); ++scenario) {
    if (scenario < ask_bytes.size() && ask_bytes[scenario] != kNeverAsk) {
      find_readers_of(scenario, counts);
      continue;
    }
    for (const NeededRun& run : runs[scenario])
      for (const uint32_t asset : run.assets())
        if (readers[asset].empty() || readers[asset].back() != scenario)
          readers[asset].push_back(scenario);
  }
}

// The entries of `counts` must be zero; it may be shorter than `readers`.
void Needs::find_readers_of(uint32_t scenario, std::vector<uint32_t>& counts) {
  counts.resize(readers.size());
  seldom_reader.resize(readers.size(), kNone);
  const auto all = static_cast<uint32_t>(runs[scenario].size());
  for_each_read(runs[scenario], counts, [&](uint32_t asset, uint32_t with) {
    if (is_swept(content->assets[asset].place.size_bytes, with, all - with, ask_bytes[scenario]))
      readers[asset].push_back(scenario);
    else
      seldom_reader[asset] = seldom_reader[asset] == kNone ? scenario : kSeveral;
  });
}

void Needs::add_reader(const std::vector<uint32_t>& assets) {
  for (const uint32_t asset : assets) readers[asset].push_back(scenario_count());
  runs.emplace_back();
  in_memory_bytes.push_back(0);
}

Needs find_needs(const Profile& profile, const Content& content,
                 const std::vector<Session>& sessions) {
  NeedsFinder finder(profile, content);
  if (!sessions.empty()) finder.apply(sessions, content);
  return finder.finish();
}

uint32_t fold_count(const Needs& needs) {
  size_t most_runs = 0;
  for (const auto& runs : needs.runs) most_runs = std::max(most_runs, runs.size());
  return most_runs < 2 ? 0 : static_cast<uint32_t>(std::min<size_t>(kFolds, most_runs));
}

RunsByScenario held_out(const Needs& needs, uint32_t fold, uint32_t folds) {
  RunsByScenario out(needs.scenario_count());
  for (uint32_t scenario = 0; scenario < needs.scenario_count(); ++scenario)
    for (size_t run = fold; run < needs.runs[scenario].size(); run += folds)
      if (needs.runs[scenario].size() > 1) out[scenario].push_back(needs.runs[scenario][run]);
  return out;
}

RunsByScenario left_runs(const Needs& needs, uint32_t fold, uint32_t folds) {
  RunsByScenario left(needs.scenario_count());
  for (uint32_t scenario = 0; scenario < needs.scenario_count(); ++scenario)
    for (size_t run = 0; run < needs.runs[scenario].size(); ++run)
      if (run % folds != fold || needs.runs[scenario].size() == 1)
        left[scenario].push_back(needs.runs[scenario][run]);
  return left;
}

Needs with_runs(const Needs& needs, RunsByScenario runs, std::vector<uint64_t> ask_bytes) {
  Needs part;
  part.content = needs.content;
  part.readers.resize(needs.readers.size());
  part.runs = std::move(runs);
  part.ask_bytes = std::move(ask_bytes);
  part.find_readers();
  return part;
}

Needs needs_without(const Needs& needs, uint32_t fold, uint32_t folds) {
  return with_runs(needs, left_runs(needs, fold, folds), needs.ask_bytes);
}

RunsByScenario single_runs(const Needs& needs) {
  RunsByScenario single(needs.scenario_count());
  for (uint32_t scenario = 0; scenario < needs.scenario_count(); ++scenario)
    if (needs.runs[scenario].size() < 2) single[scenario] = needs.runs[scenario];
  return single;
}

}  // namespace seekless

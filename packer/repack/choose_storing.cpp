#include "packer/repack/choose_storing.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "packer/base/none.h"
#include "packer/entries/archive_reads.h"
#include "packer/profile/find_assets.h"

namespace seekless {
namespace {

// Sorted from the least change to the greatest.
constexpr std::array<Storing, 4> kCandidates = {kStoreNone, {0.9}, {0.5}, kStoreAll};

class Chooser {
 public:
  Chooser(const Profile& profile, const Content& content,
          const std::map<std::string, double>& weights)
      : profile_(profile),
        content_(content),
        weights_(weights),
        asset_of_(find_assets(profile, content)) {}

  // Returns the candidates without those that store the same entries as another.
  std::vector<Storing> candidates() const {
    std::vector<Storing> different;
    std::set<size_t> counts;
    for (const Storing& storing : kCandidates)
      if (counts.insert(stored_entries(storing)).second) different.push_back(storing);
    return different;
  }

  // Returns the seconds for inflating if each scenario is loaded once.
  double inflate_s(const Storing& storing, bool is_weighted) const {
    double seconds = 0;
    for (const ProfiledScenario& scenario : profile_.scenarios) {
      if (scenario.runs.empty()) continue;
      uint64_t bytes = 0;
      for (const ProfiledRun& run : scenario.runs)
        for (const uint32_t number : run.assets)
          if (const Place* place = deflated(number); place != nullptr)
            if (!storing.is_for(place->size_bytes, place->stored_bytes)) bytes += place->size_bytes;
      seconds += static_cast<double>(bytes) / static_cast<double>(scenario.runs.size()) /
                 kInflatedBytesPerSecond * (is_weighted ? weight(scenario.name) : 1);
    }
    return seconds;
  }

  double weighted_s(const RepackForecast& forecast, const Storing& storing) const {
    double seconds = inflate_s(storing, true);
    for (const ForecastScenario& of : forecast.scenarios)
      seconds += weight(of.name) * of.after.cost.seconds;
    return seconds;
  }

 private:
  double weight(const std::string& scenario) const {
    const auto found = weights_.find(scenario);
    return found == weights_.end() ? 1 : found->second;
  }

  const Place* deflated(uint32_t number) const {
    if (asset_of_[number] == kNone) return nullptr;
    const Place& place = content_.assets[asset_of_[number]].place;
    const bool is_deflated =
        place.entry != kWholeSource && !place.is_encrypted && place.method == zip_method::kDeflated;
    return is_deflated ? &place : nullptr;
  }

  size_t stored_entries(const Storing& storing) const {
    size_t count = 0;
    for (uint32_t number = 0; number < asset_of_.size(); ++number)
      if (const Place* place = deflated(number); place != nullptr)
        count += storing.is_for(place->size_bytes, place->stored_bytes) ? 1 : 0;
    return count;
  }

  const Profile& profile_;
  const Content& content_;
  const std::map<std::string, double>& weights_;
  const std::vector<uint32_t> asset_of_;  // indexed by number in the profile
};

}  // namespace

Result<RepackForecast> best_storing(const Profile& profile, const Content& content,
                                    const std::map<std::string, double>& weights,
                                    const ForecastWith& forecast_with) {
  const Chooser chooser(profile, content, weights);
  const std::vector<Storing> candidates = chooser.candidates();
  if (candidates.size() == 1) return forecast_with(kStoreAll);
  RepackForecast best;
  double best_s = 0;
  std::vector<TriedStoring> tried;
  for (const Storing& storing : candidates) {
    auto forecast = forecast_with(storing);
    if (!forecast) return forecast;
    const TriedStoring of = {storing, forecast->after_s(), chooser.inflate_s(storing, false)};
    const double seconds = chooser.weighted_s(*forecast, storing);
    // The margin ignores differences by rounding.
    const bool is_better = tried.empty() || seconds < best_s - 1e-9;
    tried.insert(is_better ? tried.begin() : tried.end(), of);
    if (!is_better) continue;
    best_s = seconds;
    best = *std::move(forecast);
  }
  best.tried = std::move(tried);
  return best;
}

}  // namespace seekless

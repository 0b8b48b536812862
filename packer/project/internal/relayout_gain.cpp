#include "packer/project/internal/relayout_gain.h"

#include <map>
#include <string_view>

#include "packer/keep/predict_kept.h"

namespace seekless {
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

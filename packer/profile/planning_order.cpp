#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "packer/base/none.h"
#include "packer/profile/profile.h"

namespace seekless {
namespace {

// Compares runs by the paths they read, one after another, and then by times. Runs that are equal
// in all of these make the same layout in either order.
class ComesBefore {
 public:
  explicit ComesBefore(const std::vector<std::string>& assets) : assets_(assets) {}

  bool operator()(const ProfiledRun& a, const ProfiledRun& b) const {
    const auto path = [this](uint32_t asset) -> const std::string& { return assets_[asset]; };
    const auto [in_a, in_b] = std::ranges::mismatch(a.assets, b.assets, {}, path, path);
    if (in_a != a.assets.end() && in_b != b.assets.end()) return path(*in_a) < path(*in_b);
    return std::tuple(a.assets.size(), a.span_us, a.waiting_us, std::string_view(a.trace)) <
           std::tuple(b.assets.size(), b.span_us, b.waiting_us, std::string_view(b.trace));
  }

 private:
  const std::vector<std::string>& assets_;
};

void number_assets(Profile& profile) {
  std::vector<uint32_t> number(profile.assets.size(), kNone);
  std::vector<std::string> assets;
  assets.reserve(profile.assets.size());
  const auto add = [&](uint32_t asset) {
    if (number[asset] != kNone) return;
    number[asset] = static_cast<uint32_t>(assets.size());
    assets.push_back(std::move(profile.assets[asset]));
  };
  for (ProfiledScenario& scenario : profile.scenarios)
    for (ProfiledRun& run : scenario.runs) {
      std::vector<uint32_t> numbered = run.assets.to_vector();
      for (uint32_t& asset : numbered) {
        add(asset);
        asset = number[asset];
      }
      run.assets = numbered;
    }
  for (uint32_t asset = 0; asset < number.size(); ++asset) add(asset);
  profile.assets = std::move(assets);
}

}  // namespace

Profile in_planning_order(Profile profile) {
  std::ranges::stable_sort(profile.scenarios, {}, &ProfiledScenario::name);
  for (ProfiledScenario& scenario : profile.scenarios)
    std::ranges::stable_sort(scenario.runs, ComesBefore(profile.assets));
  number_assets(profile);
  return profile;
}

bool is_in_planning_order(const Profile& profile) {
  return std::ranges::is_sorted(profile.scenarios, {}, &ProfiledScenario::name) &&
         std::ranges::all_of(profile.scenarios, [&](const ProfiledScenario& scenario) {
           return std::ranges::is_sorted(scenario.runs, ComesBefore(profile.assets));
         });
}

}  // namespace seekless

#include "packer/repack/entry_order.h"

#include <algorithm>

namespace seekless {

// As they are first seen, the scenarios one after the other.
EntryOrder order_entries(const Profile& profile, const Content& content,
                         const EntryOrderOptions& /*options*/) {
  EntryOrder order;
  order.read_entries.resize(content.sources.size());
  std::vector<bool> is_taken(content.assets.size(), false);
  for (const ProfiledScenario& scenario : profile.scenarios)
    for (const ProfiledRun& run : scenario.runs)
      for (const uint32_t number : run.assets) {
        const auto asset =
            std::ranges::lower_bound(content.assets, profile.assets[number], {}, &Asset::path);
        if (asset == content.assets.end() || asset->path != profile.assets[number]) continue;
        const auto index = static_cast<size_t>(asset - content.assets.begin());
        if (is_taken[index]) continue;
        is_taken[index] = true;
        if (asset->place.entry != kWholeSource)
          order.read_entries[asset->place.source].push_back(asset->place.entry);
      }
  return order;
}

}  // namespace seekless

#include "packer/emit/one_image.h"

#include <algorithm>
#include <vector>

#include "packer/entries/archive_order.h"
#include "packer/entries/archive_reads.h"
#include "packer/profile/find_assets.h"

namespace seekless {
namespace {

// Returns the assets that some run reads, as indexes in the content, sorted by path: packers
// without a list store files like this.
std::vector<uint32_t> read_assets(const Profile& profile, const Content& content) {
  std::vector<bool> is_read(content.assets.size(), false);
  for (const uint32_t asset : find_assets(profile, content))
    if (asset < is_read.size()) is_read[asset] = true;
  std::vector<uint32_t> assets;
  for (uint32_t i = 0; i < is_read.size(); ++i)
    if (is_read[i]) assets.push_back(i);
  return assets;
}

}  // namespace

Layout lay_in_one_image(const Profile& profile, const Content& content,
                        const OneImageOptions& options) {
  const std::vector<uint32_t> assets = read_assets(profile, content);
  const ArchiveReads reads = reads_of_assets(profile, content, options.weights, kStoreAll, assets);
  Layout layout = {.paths = content.paths, .sources = content.sources, .scenario_sets = {{}}};
  for (const ProfiledScenario& scenario : profile.scenarios)
    layout.scenarios.push_back(
        {.name = scenario.name, .runs = static_cast<uint32_t>(scenario.runs.size())});
  std::map<std::vector<uint32_t>, uint32_t> sets = {{{}, 0}};
  LaidPack& pack = layout.packs.emplace_back(LaidPack{.name = "image"});
  for (const uint32_t entry : order_archive(reads, {.drive = options.drive})) {
    const ReadEntry& read = reads.entries[entry];
    const auto [set, is_new] =
        sets.try_emplace(read.readers, static_cast<uint32_t>(layout.scenario_sets.size()));
    if (is_new) layout.scenario_sets.push_back(read.readers);
    pack.assets.push_back(lay_asset(content.assets[assets[read.number]], set->second));
  }
  return layout;
}

}  // namespace seekless

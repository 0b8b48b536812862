#include "packer/entries/archive_reads.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "packer/base/none.h"
#include "packer/content/zip_directory.h"
#include "packer/profile/find_assets.h"

namespace seekless {
namespace {

// Tells where an asset lies now, or is planned to lie.
struct AssetSpot {
  uint32_t group = 0;       // number of the archive or loose file that holds it
  uint32_t number = kNone;  // number in the group; kNone if it isn't to be ordered
};

class Gatherer {
 public:
  // `lying` is indexed by asset. `assets` lists the assets to be ordered, by group, in the order
  // they lie.
  Gatherer(const Profile& profile, const Content& content, const Storing& storing,
           std::vector<AssetSpot> lying, std::span<const uint32_t> assets, size_t groups)
      : asset_of_(find_assets(profile, content)),
        lying_(std::move(lying)),
        local_(content.assets.size(), kNone),
        archives_(groups) {
    for (const uint32_t asset : assets) {
      const Place& place = content.assets[asset].place;
      std::vector<ReadEntry>& entries = archives_[lying_[asset].group].entries;
      const bool is_unpacked = storing.is_for(place.size_bytes, place.stored_bytes);
      local_[asset] = static_cast<uint32_t>(entries.size());
      entries.push_back({.number = lying_[asset].number,
                         .old_offset_bytes = place.header_offset_bytes,
                         .header_bytes = place.header_bytes,
                         .data_bytes = is_unpacked ? place.size_bytes : place.stored_bytes,
                         .is_stored = is_unpacked || place.method == zip_method::kStored,
                         .readers = {}});
    }
  }

  void add_run(uint32_t scenario, const ProfiledRun& run, double weight) {
    uint32_t last_group = kNone;
    for (const uint32_t number : run.assets) {
      const uint32_t asset = asset_of_[number];
      if (asset == kNone) continue;
      const uint32_t group = lying_[asset].group;
      if (group != last_group && last_group != kNone) turn_away_from(last_group);
      last_group = group;
      if (local_[asset] == kNone) continue;
      ArchiveReads& archive = archives_[group];
      const size_t run_number = run_count_;
      if (begun_.size() < archives_.size()) begun_.resize(archives_.size(), SIZE_MAX);
      if (begun_[group] != run_number) {
        begun_[group] = run_number;
        archive.runs.push_back({scenario, weight, {}});
      }
      archive.runs.back().entries.push_back(local_[asset]);
      std::vector<uint32_t>& readers = archive.entries[local_[asset]].readers;
      if (readers.empty() || readers.back() != scenario) readers.push_back(scenario);
    }
    ++run_count_;
  }

  std::vector<ArchiveReads> finish() { return std::move(archives_); }

 private:
  void turn_away_from(uint32_t group) {
    if (group >= begun_.size() || begun_[group] != run_count_) return;
    std::vector<uint32_t>& entries = archives_[group].runs.back().entries;
    if (entries.back() != kElsewhere) entries.push_back(kElsewhere);
  }

  const std::vector<uint32_t> asset_of_;
  const std::vector<AssetSpot> lying_;
  std::vector<uint32_t> local_;         // indexed by asset: its index in its group's entries
  std::vector<ArchiveReads> archives_;  // indexed by group
  std::vector<size_t> begun_;           // indexed by group: the latest run that reads there
  size_t run_count_ = 0;
};

void add_runs(Gatherer& gatherer, const Profile& profile,
              const std::map<std::string, double>& weights) {
  for (uint32_t i = 0; i < profile.scenarios.size(); ++i) {
    const ProfiledScenario& scenario = profile.scenarios[i];
    const auto weight = weights.find(scenario.name);
    const double of_all = weight == weights.end() ? 1 : weight->second;
    for (const ProfiledRun& run : scenario.runs)
      gatherer.add_run(i, run, of_all / static_cast<double>(scenario.runs.size()));
  }
}

// Returns the archive entries that the profile reads, by source, in the order they lie.
std::vector<uint32_t> entries_as_they_lie(const Profile& profile, const Content& content) {
  std::vector<uint32_t> assets;
  for (const uint32_t asset : find_assets(profile, content))
    if (asset != kNone && content.assets[asset].place.entry != kWholeSource)
      assets.push_back(asset);
  std::ranges::sort(assets, {}, [&](uint32_t asset) {
    const Place& place = content.assets[asset].place;
    return std::tuple(place.source, place.header_offset_bytes, place.entry);
  });
  return assets;
}

}  // namespace

std::vector<ArchiveReads> archive_reads(const Profile& profile, const Content& content,
                                        const std::map<std::string, double>& weights,
                                        const Storing& storing) {
  std::vector<AssetSpot> lying;
  lying.reserve(content.assets.size());
  for (const Asset& asset : content.assets)
    lying.push_back({asset.place.source, asset.place.entry});
  Gatherer gatherer(profile, content, storing, std::move(lying),
                    entries_as_they_lie(profile, content), content.sources.size());
  add_runs(gatherer, profile, weights);
  return gatherer.finish();
}

ArchiveReads reads_of_assets(const Profile& profile, const Content& content,
                             const std::map<std::string, double>& weights, const Storing& storing,
                             std::span<const uint32_t> assets) {
  std::vector<AssetSpot> lying(content.assets.size(), AssetSpot{.group = 1});
  for (uint32_t i = 0; i < assets.size(); ++i) lying[assets[i]] = {0, i};
  Gatherer gatherer(profile, content, storing, std::move(lying), assets, 2);
  add_runs(gatherer, profile, weights);
  return std::move(gatherer.finish().front());
}

}  // namespace seekless

#include "packer/repack/archive_reads.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "packer/content/zip_directory.h"

namespace seekless {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// By number in the profile: the asset of the content, or kNone for what is gone.
std::vector<uint32_t> find_assets(const Profile& profile, const Content& content) {
  std::vector<uint32_t> found;
  found.reserve(profile.assets.size());
  for (const std::string& path : profile.assets) {
    const auto asset =
        std::ranges::lower_bound(content.assets, std::string_view(path), {},
                                 [](const Asset& of) { return std::string_view(of.path); });
    const bool is_there = asset != content.assets.end() && std::string_view(asset->path) == path;
    found.push_back(is_there ? static_cast<uint32_t>(asset - content.assets.begin()) : kNone);
  }
  return found;
}

class Gatherer {
 public:
  Gatherer(const Profile& profile, const Content& content, bool keeps_compression)
      : content_(content),
        keeps_compression_(keeps_compression),
        asset_of_(find_assets(profile, content)),
        local_(content.assets.size(), kNone),
        archives_(content.sources.size()) {
    add_entries();
  }

  void add_run(uint32_t scenario, const ProfiledRun& run, double weight) {
    uint32_t last_source = kNone;
    for (const uint32_t number : run.assets) {
      const uint32_t asset = asset_of_[number];
      if (asset == kNone) continue;
      const uint32_t source = content_.assets[asset].place.source;
      if (source != last_source && last_source != kNone) turn_away_from(last_source);
      last_source = source;
      if (local_[asset] == kNone) continue;
      ArchiveReads& archive = archives_[source];
      const size_t run_number = run_count_;
      if (begun_.size() < archives_.size()) begun_.resize(archives_.size(), SIZE_MAX);
      if (begun_[source] != run_number) {
        begun_[source] = run_number;
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
  void add_entries() {
    std::vector<uint32_t> assets;
    for (const uint32_t asset : asset_of_)
      if (asset != kNone && content_.assets[asset].place.entry != kWholeSource)
        assets.push_back(asset);
    std::ranges::sort(assets, {}, [this](uint32_t asset) {
      const Place& place = content_.assets[asset].place;
      return std::tuple(place.source, place.header_offset_bytes, place.entry);
    });
    for (const uint32_t asset : assets) {
      const Place& place = content_.assets[asset].place;
      std::vector<ReadEntry>& entries = archives_[place.source].entries;
      local_[asset] = static_cast<uint32_t>(entries.size());
      entries.push_back({.number = place.entry,
                         .old_offset_bytes = place.header_offset_bytes,
                         .header_bytes = place.header_bytes,
                         .data_bytes = keeps_compression_ ? place.stored_bytes : place.size_bytes,
                         .is_stored = !keeps_compression_ || place.method == zip_method::kStored,
                         .readers = {}});
    }
  }

  void turn_away_from(uint32_t source) {
    if (source >= begun_.size() || begun_[source] != run_count_) return;
    std::vector<uint32_t>& entries = archives_[source].runs.back().entries;
    if (entries.back() != kElsewhere) entries.push_back(kElsewhere);
  }

  const Content& content_;
  const bool keeps_compression_;
  const std::vector<uint32_t> asset_of_;
  std::vector<uint32_t> local_;  // by asset: index in its archive's entries
  std::vector<ArchiveReads> archives_;
  std::vector<size_t> begun_;  // by source: the latest run that reads there
  size_t run_count_ = 0;
};

}  // namespace

std::vector<ArchiveReads> archive_reads(const Profile& profile, const Content& content,
                                        const std::map<std::string, double>& weights,
                                        bool keeps_compression) {
  Gatherer gatherer(profile, content, keeps_compression);
  for (uint32_t i = 0; i < profile.scenarios.size(); ++i) {
    const ProfiledScenario& scenario = profile.scenarios[i];
    const auto weight = weights.find(scenario.name);
    const double of_all = weight == weights.end() ? 1 : weight->second;
    for (const ProfiledRun& run : scenario.runs)
      gatherer.add_run(i, run, of_all / static_cast<double>(scenario.runs.size()));
  }
  return gatherer.finish();
}

}  // namespace seekless

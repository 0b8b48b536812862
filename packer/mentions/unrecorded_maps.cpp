#include "packer/mentions/unrecorded_maps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "packer/content/asset_reader.h"
#include "packer/drive/drive.h"
#include "packer/host/in_parallel.h"
#include "packer/host/none.h"
#include "packer/mentions/definitions.h"
#include "packer/mentions/map_files.h"
#include "packer/mentions/mentions.h"
#include "packer/mentions/name_index.h"
#include "packer/mentions/words.h"
#include "packer/profile/find_assets.h"
#include "packer/profile/maps.h"

namespace seekless {
namespace {

using Assets = std::vector<uint32_t>;

constexpr uint64_t kMostReadBytes = uint64_t{64} << 20;  // of one file
constexpr uint64_t kMostTextBytes = uint64_t{4} << 20;   // of one with definitions
constexpr uint64_t kMostAllTextBytes = uint64_t{256} << 20;
constexpr uint64_t kMostAllBytes = uint64_t{4} << 30;  // of all files
constexpr size_t kMostLearned = 64;                    // files of one ending
constexpr size_t kTextsTried = 4;                      // of one ending
constexpr size_t kMostUnrecorded = 1000;

bool has(const Assets& assets, uint32_t asset) {
  return std::ranges::binary_search(assets, asset);
}

// How often what was mentioned so was read.
struct Count {
  double read = 0;
  double all = 0;

  // By few cases nothing is sure (Laplace's rule, but for a prior of what is mostly all or none).
  double chance() const { return read > 0 ? (read + 0.3) / (all + 0.6) : 0; }
};

using Counts = std::map<std::string, Count>;  // by kind

// So many of them, spread evenly.
Assets spread(const Assets& from, size_t most) {
  if (from.size() <= most) return from;
  Assets some;
  for (size_t i = 0; i < most; ++i) some.push_back(from[i * from.size() / most]);
  return some;
}

class MapReader {
 public:
  MapReader(const Profile& profile, const Content& content, uint64_t ask_bytes,
            const ReadAsset& read, size_t threads)
      : profile_(profile),
        content_(content),
        ask_bytes_(static_cast<double>(ask_bytes)),
        read_(read),
        threads_(threads) {}

  UnrecordedMaps find() {
    find_recorded();
    if (maps_.empty()) return {};
    const std::optional<MapFiles> files = MapFiles::find(content_, maps_);
    if (!files) return {};
    std::vector<std::string> names = files->others();
    if (names.empty()) return {};
    names.resize(std::min(names.size(), kMostUnrecorded));
    find_specific();
    find_definitions();
    learn(*files);
    UnrecordedMaps found;
    for (const RecordedMap& map : maps_) found.left_out.push_back({folder_ + map.name, {}});
    for (const std::string& name : names) found.maps.push_back({folder_ + name, {}});
    follow(*files, found);
    return found;
  }

 private:
  uint64_t size_bytes(uint32_t asset) const { return content_.assets[asset].place.size_bytes; }
  std::string ending(uint32_t asset) const {
    return as_name(ending_of(file_name(content_.assets[asset].path)));
  }

  void find_recorded() {
    std::vector<std::string> names;
    for (const ProfiledScenario& scenario : profile_.scenarios) names.push_back(scenario.name);
    const Assets asset_of = find_assets(profile_, content_);
    for (const uint32_t number : find_maps(names)) {
      const std::string& name = names[number];
      folder_ = name.substr(0, name.find_last_of('/') + 1);
      RecordedMap& map = maps_.emplace_back(RecordedMap{name.substr(folder_.size()), {}});
      for (const ProfiledRun& run : profile_.scenarios[number].runs)
        for (const uint32_t asset : run.assets)
          if (asset_of[asset] != kNone) map.assets.push_back(asset_of[asset]);
      std::ranges::sort(map.assets);
      const auto again = std::ranges::unique(map.assets);
      map.assets.erase(again.begin(), again.end());
    }
  }

  // What less than half of the maps read tells what maps mean by a mention.
  void find_specific() {
    std::map<uint32_t, size_t> maps_of;
    for (const RecordedMap& map : maps_)
      for (const uint32_t asset : map.assets) ++maps_of[asset];
    for (const auto& [asset, maps] : maps_of)
      (2 * maps < maps_.size() ? specific_ : common_).push_back(asset);
  }

  bool is_common(uint32_t asset) const { return has(common_, asset); }

  std::map<std::string, Assets> by_ending(const Assets& assets, uint64_t most_bytes) const {
    std::map<std::string, Assets> groups;
    for (const uint32_t asset : assets)
      if (size_bytes(asset) > 0 && size_bytes(asset) <= most_bytes)
        groups[ending(asset)].push_back(asset);
    return groups;
  }

  // Of texts that maps have in common: of those of each ending, if some of the first have any.
  void find_definitions() {
    for (const auto& [of, assets] : by_ending(common_, kMostTextBytes)) {
      size_t tried = 0;
      bool has_any = false;
      for (const uint32_t asset : assets) {
        if (tried++ == kTextsTried && !has_any) break;
        if (text_bytes_ + size_bytes(asset) > kMostAllTextBytes) return;
        text_bytes_ += size_bytes(asset);
        std::optional<std::string> bytes = bytes_of(asset);
        const bool is_text = bytes && bytes->find('\0') == std::string::npos;
        has_any = (is_text && definitions_.add(asset, *std::move(bytes))) || has_any;
      }
    }
  }

  std::optional<std::string> bytes_of(uint32_t asset) const {
    auto bytes = read_(asset);
    if (!bytes) return std::nullopt;
    return *std::move(bytes);
  }

  // Reads those of `assets` that weren't, as far as that is allowed.
  void read_all(const Assets& assets) {
    Assets unread;
    for (const uint32_t asset : assets) {
      if (mentions_.contains(asset) || size_bytes(asset) > kMostReadBytes ||
          read_bytes_ + size_bytes(asset) > kMostAllBytes)
        continue;
      read_bytes_ += size_bytes(asset);
      mentions_.try_emplace(asset);
      unread.push_back(asset);
    }
    const Mentions in_files(content_, names_, definitions_);
    std::vector<std::vector<Mention>> found(unread.size());
    in_parallel(unread.size(), threads_, [&](size_t i, size_t) {
      if (const auto bytes = bytes_of(unread[i])) found[i] = in_files.in(unread[i], *bytes);
    });
    for (size_t i = 0; i < unread.size(); ++i) mentions_[unread[i]] = std::move(found[i]);
  }

  // What the recorded maps did with what their files mention.
  void learn(const MapFiles& files) {
    Assets sources = specific_;
    Assets learned;
    for (const auto& [of, assets] : by_ending(sources, kMostReadBytes))
      std::ranges::copy(spread(assets, kMostLearned), std::back_inserter(learned));
    read_all(learned);
    const Mentions in_files(content_, names_, definitions_);
    for (const RecordedMap& map : maps_) {
      Counts& counts = counts_.emplace_back();
      const auto count = [&](const Mention& mention) {
        Count& of = counts[mention.kind];
        ++of.all;
        if (has(map.assets, mention.asset)) ++of.read;
      };
      for (const Mention& own : files.of(map.name)) count(own);
      for (const uint32_t asset : specific_) {
        if (!has(map.assets, asset)) continue;
        for (const Mention& mention : in_files.beside(asset))
          if (!is_common(mention.asset)) count(mention);
        if (const auto known = mentions_.find(asset); known != mentions_.end())
          for (const Mention& mention : known->second)
            if (!is_common(mention.asset)) count(mention);
      }
      for (const auto& [kind, of] : counts) {
        Count& sum = all_counts_[kind];
        sum.read += of.read;
        sum.all += of.all;
      }
    }
    for (const auto& [kind, of] : all_counts_)
      if (const size_t end = kind.find(kMentionedBy); of.read > 0 && end != std::string::npos)
        telling_.insert(kind.substr(0, end));
  }

  double chance(const std::string& kind, const Counts* without) const {
    const auto found = all_counts_.find(kind);
    if (found == all_counts_.end()) return 0;
    Count count = found->second;
    if (without != nullptr)
      if (const auto own = without->find(kind); own != without->end()) {
        count.read -= own->second.read;
        count.all -= own->second.all;
      }
    return count.chance();
  }

  // From a map's own files on, all at once, since each step reads files.
  struct Way {
    MentionedAssets* map = nullptr;
    const Counts* without = nullptr;
    std::set<uint32_t> assets;
    Assets next;
  };

  void take(Way& way, std::span<const Mention> mentions) const {
    for (const Mention& mention : mentions) {
      const double p = chance(mention.kind, way.without);
      if (p * ask_bytes_ < (1 - p) * static_cast<double>(size_bytes(mention.asset)) || p == 0)
        continue;
      if (way.assets.insert(mention.asset).second) way.next.push_back(mention.asset);
    }
  }

  void follow(const MapFiles& files, UnrecordedMaps& found) {
    std::vector<Way> ways;
    for (size_t i = 0; i < found.left_out.size(); ++i)
      ways.push_back({&found.left_out[i], &counts_[i], {}, {}});
    for (MentionedAssets& map : found.maps) ways.push_back({&map, nullptr, {}, {}});
    for (Way& way : ways) take(way, files.of(way.map->scenario.substr(folder_.size())));
    const Mentions in_files(content_, names_, definitions_);
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      std::set<uint32_t> sources;
      for (const Way& way : ways)
        for (const uint32_t asset : way.next)
          if (telling_.contains(ending(asset))) sources.insert(asset);
      read_all({sources.begin(), sources.end()});
      for (Way& way : ways) {
        for (const uint32_t asset : std::exchange(way.next, {})) {
          take(way, in_files.beside(asset));
          if (const auto known = mentions_.find(asset); known != mentions_.end())
            take(way, known->second);
        }
        goes_on = goes_on || !way.next.empty();
      }
    }
    for (Way& way : ways) way.map->assets.assign(way.assets.begin(), way.assets.end());
  }

  const Profile& profile_;
  const Content& content_;
  const double ask_bytes_;
  const ReadAsset& read_;
  const size_t threads_;
  std::string folder_;  // of the maps' names
  std::vector<RecordedMap> maps_;
  Assets specific_;
  Assets common_;
  NameIndex names_{content_};
  Definitions definitions_;
  std::unordered_map<uint32_t, std::vector<Mention>> mentions_;  // of files that were read
  uint64_t read_bytes_ = 0;
  uint64_t text_bytes_ = 0;     // of those read for definitions, which are kept
  std::vector<Counts> counts_;  // by recorded map
  Counts all_counts_;
  std::set<std::string> telling_;  // endings of files that mention what is read
};

}  // namespace

UnrecordedMaps find_unrecorded_maps(const Profile& profile, const Content& content,
                                    uint64_t ask_bytes, const ReadAsset& read, size_t threads) {
  return MapReader(profile, content, ask_bytes, read, threads).find();
}

UnrecordedMaps read_unrecorded_maps(const Profile& profile, const Content& content,
                                    const DriveProfile& drive, size_t threads) {
  if (std::holds_alternative<SolidState>(drive.hardware)) return {};
  ContentReader reader(content.sources);
  const auto read = [&](uint32_t asset) -> Result<std::string> {
    const AssetRef of = ref_of(content.assets[asset]);
    const auto stream = reader.open(of);
    if (!stream) return std::unexpected(stream.error());
    std::string bytes(of.size_bytes, '\0');
    for (size_t at = 0; at < bytes.size();) {
      const auto got = (*stream)->read(std::as_writable_bytes(std::span(bytes).subspan(at)));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;
      at += *got;
    }
    return bytes;
  };
  return find_unrecorded_maps(profile, content, Drive(drive).break_even_gap_bytes(0), read,
                              thread_count(threads));
}

}  // namespace seekless

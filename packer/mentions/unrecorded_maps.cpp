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

#include "packer/base/each_once.h"
#include "packer/base/in_parallel.h"
#include "packer/base/none.h"
#include "packer/content/asset_reader.h"
#include "packer/drive/drive.h"
#include "packer/mentions/internal/definitions.h"
#include "packer/mentions/internal/map_files.h"
#include "packer/mentions/internal/mentions.h"
#include "packer/mentions/internal/name_index.h"
#include "packer/mentions/internal/words.h"
#include "packer/profile/find_assets.h"
#include "packer/profile/maps.h"

namespace seekless {
namespace {

using Assets = std::vector<uint32_t>;

constexpr uint64_t kMostReadBytes = uint64_t{64} << 20;  // limit for one file
constexpr uint64_t kMostTextBytes = uint64_t{4} << 20;   // limit for one file with definitions
constexpr uint64_t kMostAllTextBytes = uint64_t{256} << 20;
constexpr uint64_t kMostAllBytes = uint64_t{4} << 30;  // limit for all files
constexpr size_t kMostLearned = 64;  // limit for the number of files of one extension
constexpr size_t kTextsTried = 4;    // number of files of one extension
constexpr size_t kMostUnrecorded = 1000;

bool has(const Assets& assets, uint32_t asset) {
  return std::ranges::binary_search(assets, asset);
}

// Counts how often assets that were mentioned in one way were also read.
struct MentionCount {
  double read = 0;
  double all = 0;

  // Returns the estimated chance. This is Laplace's rule, because few cases prove nothing, but with
  // a prior for chances that are mostly 0 or 1.
  double chance() const { return read > 0 ? (read + 0.3) / (all + 0.6) : 0; }
};

using Counts = std::map<std::string, MentionCount>;  // indexed by kind

// Returns at most `most` of the assets, spread evenly.
Assets spread(const Assets& from, size_t most) {
  if (from.size() <= most) return from;
  Assets some;
  for (size_t i = 0; i < most; ++i) some.push_back(from[i * from.size() / most]);
  return some;
}

// Holds the maps of one folder and the assets they read.
struct RecordedMaps {
  std::string folder;  // folder of their scenarios' names, with the trailing '/'
  std::vector<RecordedMap> maps;
};

RecordedMaps find_recorded(const Profile& profile, const Content& content) {
  std::vector<std::string> names;
  for (const ProfiledScenario& scenario : profile.scenarios) names.push_back(scenario.name);
  RecordedMaps recorded;
  const std::vector<uint32_t> numbers = find_maps(names);
  if (numbers.empty()) return recorded;
  const Assets asset_of = find_assets(profile, content);
  recorded.folder = names[numbers.front()];
  recorded.folder.resize(recorded.folder.find_last_of('/') + 1);
  for (const uint32_t number : numbers) {
    RecordedMap& map =
        recorded.maps.emplace_back(RecordedMap{names[number].substr(recorded.folder.size()), {}});
    for (const ProfiledRun& run : profile.scenarios[number].runs)
      for (const uint32_t asset : run.assets)
        if (asset_of[asset] != kNone) map.assets.push_back(asset_of[asset]);
    keep_each_once(map.assets);
  }
  return recorded;
}

// Reads the files of maps to find their mentions.
class MapReader {
 public:
  MapReader(const Content& content, const RecordedMaps& recorded, const MapFiles& files,
            uint64_t ask_bytes, const ReadAsset& read, size_t threads)
      : content_(content),
        folder_(recorded.folder),
        maps_(recorded.maps),
        files_(files),
        ask_bytes_(static_cast<double>(ask_bytes)),
        read_(read),
        threads_(threads) {}

  UnrecordedMaps find() {
    find_specific();
    find_definitions();
    learn();
    UnrecordedMaps found;
    for (const RecordedMap& map : maps_) found.left_out.push_back({folder_ + map.name, {}});
    for (const std::string& name : files_.others()) {
      if (found.maps.size() == kMostUnrecorded) break;
      found.maps.push_back({folder_ + name, {}});
    }
    follow(found);
    warn(found);
    return found;
  }

 private:
  uint64_t size_bytes(uint32_t asset) const { return content_.assets[asset].place.size_bytes; }
  std::string ending(uint32_t asset) const {
    return as_name(ending_of(file_name(content_.assets[asset].path)));
  }

  void warn(UnrecordedMaps& found) const {
    const size_t more = files_.others().size() - found.maps.size();
    if (more > 0)
      found.warnings.push_back(
          fmt::format("content: it has {} more maps that nobody recorded than the {} that get a "
                      "sweep, such as '{}'",
                      more, found.maps.size(), folder_ + files_.others().back()));
    if (unread_ > 0)
      found.warnings.push_back(fmt::format(
          "content: files that tell what maps read, but can't be read themselves: {}, such as {}",
          unread_, why_unread_));
  }

  // Finds assets that fewer than half of the maps read. They show which mentions matter to a map.
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

  // Collects definitions from texts that most maps read. Stops trying an extension if its first few
  // texts have no definitions.
  void find_definitions() {
    for (const auto& [of, assets] : by_ending(common_, kMostTextBytes)) {
      size_t tried = 0;
      bool has_any = false;
      for (const uint32_t asset : assets) {
        if (tried++ == kTextsTried && !has_any) break;
        if (text_bytes_ + size_bytes(asset) > kMostAllTextBytes) return;
        text_bytes_ += size_bytes(asset);
        Result<std::string> bytes = read_(asset);
        if (!bytes) note_unread(bytes.error());
        const bool is_text = bytes && bytes->find('\0') == std::string::npos;
        has_any = (is_text && definitions_.add(asset, *std::move(bytes))) || has_any;
      }
    }
  }

  void note_unread(const Error& error) {
    if (unread_++ == 0) why_unread_ = error.message;
  }

  // Reads those of `assets` that haven't been read yet, as far as the limits allow.
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
    std::vector<Result<std::vector<Mention>>> found(unread.size());
    in_parallel(unread.size(), threads_, [&](size_t i, size_t) {
      if (const auto bytes = read_(unread[i]))
        found[i] = in_files_.in(unread[i], *bytes);
      else
        found[i] = std::unexpected(bytes.error());
    });
    for (size_t i = 0; i < unread.size(); ++i)
      if (found[i])
        mentions_[unread[i]] = *std::move(found[i]);
      else
        note_unread(found[i].error());
  }

  // Counts which of the mentioned assets the recorded maps read.
  void learn() {
    Assets learned;
    for (const auto& [of, assets] : by_ending(specific_, kMostReadBytes))
      std::ranges::copy(spread(assets, kMostLearned), std::back_inserter(learned));
    read_all(learned);
    for (const RecordedMap& map : maps_) {
      Counts& counts = counts_.emplace_back();
      const auto count = [&](const Mention& mention) {
        MentionCount& of = counts[mention.kind];
        ++of.all;
        if (has(map.assets, mention.asset)) ++of.read;
      };
      for (const Mention& own : files_.of(map.name)) count(own);
      for (const uint32_t asset : specific_) {
        if (!has(map.assets, asset)) continue;
        for (const Mention& mention : in_files_.beside(asset))
          if (!is_common(mention.asset)) count(mention);
        if (const auto known = mentions_.find(asset); known != mentions_.end())
          for (const Mention& mention : known->second)
            if (!is_common(mention.asset)) count(mention);
      }
      for (const auto& [kind, of] : counts) {
        MentionCount& sum = all_counts_[kind];
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
    MentionCount count = found->second;
    if (without != nullptr)
      if (const auto own = without->find(kind); own != without->end()) {
        count.read -= own->second.read;
        count.all -= own->second.all;
      }
    return count.chance();
  }

  // Follows mentions, starting from a map's own files. All maps advance together, because each step
  // reads files.
  struct MentionPath {
    MentionedAssets* map = nullptr;
    const Counts* without = nullptr;
    std::set<uint32_t> assets;
    Assets next;
  };

  void take(MentionPath& way, std::span<const Mention> mentions) const {
    for (const Mention& mention : mentions) {
      const double p = chance(mention.kind, way.without);
      if (p * ask_bytes_ < (1 - p) * static_cast<double>(size_bytes(mention.asset)) || p == 0)
        continue;
      if (way.assets.insert(mention.asset).second) way.next.push_back(mention.asset);
    }
  }

  void follow(UnrecordedMaps& found) {
    std::vector<MentionPath> ways;
    for (size_t i = 0; i < found.left_out.size(); ++i)
      ways.push_back({&found.left_out[i], &counts_[i], {}, {}});
    for (MentionedAssets& map : found.maps) ways.push_back({&map, nullptr, {}, {}});
    for (MentionPath& way : ways) take(way, files_.of(way.map->scenario.substr(folder_.size())));
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      std::set<uint32_t> sources;
      for (const MentionPath& way : ways)
        for (const uint32_t asset : way.next)
          if (telling_.contains(ending(asset))) sources.insert(asset);
      read_all({sources.begin(), sources.end()});
      for (MentionPath& way : ways) {
        for (const uint32_t asset : std::exchange(way.next, {})) {
          take(way, in_files_.beside(asset));
          if (const auto known = mentions_.find(asset); known != mentions_.end())
            take(way, known->second);
        }
        goes_on = goes_on || !way.next.empty();
      }
    }
    for (MentionPath& way : ways) way.map->assets.assign(way.assets.begin(), way.assets.end());
  }

  const Content& content_;
  const std::string& folder_;
  const std::vector<RecordedMap>& maps_;
  const MapFiles& files_;
  const double ask_bytes_;
  const ReadAsset& read_;
  const size_t threads_;
  Assets specific_;
  Assets common_;
  NameIndex names_{content_};
  Definitions definitions_;
  const Mentions in_files_{content_, names_, definitions_};
  // Holds the mentions of the files read so far.
  std::unordered_map<uint32_t, std::vector<Mention>> mentions_;
  uint64_t read_bytes_ = 0;
  size_t unread_ = 0;  // number of files that couldn't be read
  std::string why_unread_;
  uint64_t text_bytes_ = 0;     // size of the texts read for definitions, which are kept
  std::vector<Counts> counts_;  // indexed by recorded map
  Counts all_counts_;
  std::set<std::string> telling_;  // extensions of files whose mentioned assets are read
};

}  // namespace

UnrecordedMaps find_unrecorded_maps(const Profile& profile, const Content& content,
                                    uint64_t ask_bytes, const ReadAsset& read, size_t threads) {
  const RecordedMaps recorded = find_recorded(profile, content);
  if (recorded.maps.empty()) return {};
  const std::optional<MapFiles> files = MapFiles::find(content, recorded.maps);
  if (!files || files->others().empty()) return {};
  return MapReader(content, recorded, *files, ask_bytes, read, threads).find();
}

UnrecordedMaps read_unrecorded_maps(const Profile& profile, const Content& content,
                                    const DriveProfile& drive, size_t threads) {
  if (std::holds_alternative<SolidState>(drive.hardware)) return {};
  ContentReader reader(content.sources);
  const auto read = [&](uint32_t asset) -> Result<std::string> {
    const AssetRef of = ref_of(content.assets[asset]);
    SKL_TRY(const auto stream, reader.open(of));
    std::string bytes(of.size_bytes, '\0');
    SKL_TRY_DO(read_whole(*stream, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  };
  return find_unrecorded_maps(profile, content, Drive(drive).break_even_gap_bytes(0), read,
                              thread_count(threads));
}

}  // namespace seekless

#include "packer/mentions/internal/map_files.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "packer/mentions/internal/words.h"

namespace seekless {
namespace {

// At least this share of the maps must have the file.
constexpr double kMost = 0.6;

// Examples: "maps/", "rush" and ".bsp"; "tracks/", "hacienda" and "/scene.xml".
struct PathPart {
  std::string_view before;
  // Result of as_name(), without a file's extension; empty if it can't name a map.
  std::string name;
  std::string_view after;
};

std::vector<PathPart> parts_of(std::string_view path) {
  std::vector<PathPart> parts;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    std::string_view part = path.substr(begin, end - begin);
    if (end == path.size()) part = part.substr(0, part.size() - ending_of(part).size());
    // Hidden files aren't maps; macOS, for example, leaves some beside real files.
    std::string name = as_name(part);
    if (name.size() != part.size()) name.clear();
    parts.push_back({path.substr(0, begin), std::move(name), path.substr(begin + part.size())});
    begin = end + 1;
  }
  return parts;
}

struct OwnPlace {
  std::string before;  // result of as_name()
  std::string after;   // the rest of the path, in lower case
  auto operator<=>(const OwnPlace&) const = default;
};

// Finds the place where most maps have a file that no other map reads. If there are several such
// places, takes the one with the largest files.
std::optional<OwnPlace> place_of_maps(const Content& content,
                                      const std::vector<RecordedMap>& maps) {
  std::map<uint32_t, size_t> readers;
  for (const RecordedMap& map : maps)
    for (const uint32_t asset : map.assets) ++readers[asset];
  // Counts the maps that have the place, and its bytes.
  std::map<OwnPlace, std::pair<size_t, uint64_t>> found;
  for (const RecordedMap& map : maps)
    for (const uint32_t asset : map.assets) {
      if (readers[asset] > 1) continue;
      const Asset& of = content.assets[asset];
      for (const PathPart& part : parts_of(of.path)) {
        if (part.name.empty() || part.name != as_name(map.name)) continue;
        std::string after(part.after);
        std::ranges::transform(after, after.begin(), lower_case);
        auto& [count, bytes] = found[{as_name(part.before), std::move(after)}];
        ++count;
        bytes += of.place.size_bytes;
        break;
      }
    }
  const auto best = std::ranges::max_element(found, {}, [](const auto& of) { return of.second; });
  const auto fewest = std::max(2.0, kMost * static_cast<double>(maps.size()));
  if (best == found.end() || static_cast<double>(best->second.first) < fewest) return std::nullopt;
  return best->first;
}

}  // namespace

std::optional<MapFiles> MapFiles::find(const Content& content,
                                       const std::vector<RecordedMap>& maps) {
  const std::optional<OwnPlace> place = place_of_maps(content, maps);
  if (!place) return std::nullopt;
  MapFiles files;
  for (const RecordedMap& map : maps) files.own_.try_emplace(as_name(map.name));
  std::map<std::string, std::string> others;  // indexed by name in lower case
  for (const Asset& asset : content.assets)
    for (const PathPart& part : parts_of(asset.path))
      if (std::ranges::equal(part.after, place->after, {}, lower_case) &&
          as_name(part.before) == place->before && !part.name.empty() &&
          !files.own_.contains(part.name))
        others.emplace(part.name,
                       std::string_view(asset.path).substr(part.before.size(), part.name.size()));
  for (const auto& [lower, name] : others) {
    files.others_.push_back(name);
    files.own_.try_emplace(lower);
  }
  files.find_own(content);
  return files;
}

void MapFiles::find_own(const Content& content) {
  for (uint32_t asset = 0; asset < content.assets.size(); ++asset) {
    const std::string_view path = content.assets[asset].path;
    for (const PathPart& part : parts_of(path))
      if (const auto map = own_.find(part.name); map != own_.end() && !part.name.empty()) {
        map->second.push_back({asset, fmt::format("own {} {}", as_name(part.before),
                                                  as_name(ending_of(file_name(path))))});
        break;
      }
  }
}

const std::vector<Mention>& MapFiles::of(std::string_view map) const {
  static const std::vector<Mention> none;
  const auto found = own_.find(as_name(map));
  return found != own_.end() ? found->second : none;
}

}  // namespace seekless

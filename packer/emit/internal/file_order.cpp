#include "packer/emit/internal/file_order.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

// Returns paths relative to the folder. A file outside it keeps its whole path, which begins with a
// slash.
std::vector<std::string> paths_below(const Layout& layout, const std::string& folder) {
  // Folder as the layout writes it -> its canonical path.
  std::unordered_map<std::string, std::string> canonical;
  std::vector<std::string> paths;
  for (const Source& source : layout.sources) {
    const std::string path = source.path;
    const size_t slash = path.rfind('/');
    std::string whole;
    if (source.is_link || slash == std::string::npos) {
      whole = canonical_path(path);
    } else {
      const auto [known, is_new] = canonical.try_emplace(path.substr(0, slash + 1));
      if (is_new) known->second = canonical_path(known->first);
      whole = known->second + (known->second.ends_with('/') ? "" : "/") + path.substr(slash + 1);
    }
    const bool is_inside = lies_in(whole, folder) && whole.size() > folder.size();
    paths.push_back(is_inside ? whole.substr(folder.size() + (folder.ends_with('/') ? 0 : 1))
                              : whole);
  }
  return paths;
}

Result<std::vector<bool>> sets_of(const Layout& layout, const std::string& scenario) {
  std::vector<bool> counts(layout.scenario_sets.size());
  const auto is_asked_for = [&](uint32_t number) {
    return scenario.empty() || layout.scenarios[number].name == scenario;
  };
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] = std::ranges::any_of(layout.scenario_sets[i], is_asked_for);
  if (scenario.empty() ||
      std::ranges::find(layout.scenarios, scenario, &LaidScenario::name) != layout.scenarios.end())
    return counts;
  return wrong_usage({.place = "--scenario",
                      .expected = "one that the inputs know",
                      .found = fmt::format("'{}'", scenario),
                      .advice = "leave it out for all that they know"});
}

class Ordering {
 public:
  Ordering(const FolderContents& contents, FileOrder& order)
      : there_(contents.files.begin(), contents.files.end()), order_(order) {}

  void add(const LaidAsset& asset, const std::string& path) {
    if (!there_.contains(path)) {
      if (elsewhere_.insert(path).second) order_.elsewhere.add(path);
      return;
    }
    const bool is_entry = asset.entry != kWholeSource;
    if (is_taken_.insert(path).second) {
      order_.read.push_back(path);
      order_.archives += is_entry ? 1 : 0;
    } else {
      order_.copies += is_entry ? 0 : 1;
    }
  }

  void add_unread(const FolderContents& contents) {
    for (const std::string& path : contents.files)
      if (!is_taken_.contains(path)) order_.unread.push_back(path);
  }

 private:
  std::unordered_set<std::string_view> there_;
  std::unordered_set<std::string> is_taken_;
  std::unordered_set<std::string> elsewhere_;
  FileOrder& order_;
};

}  // namespace

Result<FileOrder> order_files(const Layout& layout, const std::string& folder,
                              const FolderContents& contents, const std::string& scenario) {
  SKL_TRY(const auto counts, sets_of(layout, scenario));
  const std::vector<std::string> paths = paths_below(layout, folder);
  FileOrder order = {.folders = contents.folders, .links = contents.links};
  Ordering ordering(contents, order);
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets)
      if (counts[asset.scenario_set]) ordering.add(asset, paths[asset.source]);
  ordering.add_unread(contents);
  return order;
}

}  // namespace seekless

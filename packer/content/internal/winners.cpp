#include "packer/content/internal/winners.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr const char* kRenameAdvice = "rename one of them, or exclude it";

// Decides between assets of the same path, and refuses paths that exclude each other.
class Merger {
 public:
  Merger(Content content, Layers layers, const ScanOptions& options)
      : content_(std::move(content)),
        layers_(std::move(layers)),
        fold_case_(options.fold_case),
        any_names_(options.any_names) {}

  Result<Content> merge() {
    std::ranges::sort(content_.assets, [this](const Asset& a, const Asset& b) {
      const int order = compare(a.path, b.path);
      return order != 0 ? order < 0
                        : std::tie(a.place.source, a.place.entry) <
                              std::tie(b.place.source, b.place.entry);
    });
    SKL_TRY_DO(settle_groups());
    if (!any_names_) SKL_TRY_DO(check_folders());
    if (fold_case_) sort_by_path();
    return std::move(content_);
  }

 private:
  int compare(std::string_view a, std::string_view b) const {
    return fold_case_ ? compare_folded(a, b) : a.compare(b);
  }

  std::string describe_place(std::string_view path, const Place& place) const {
    const std::string_view file = content_.sources[place.source].path;
    return place.entry == kWholeSource ? fmt::format("'{}'", file)
                                       : fmt::format("'{}' in '{}'", path, file);
  }

  // Decides each group, which holds the assets of one path in scanning order. Winners move to the
  // front.
  Result<void> settle_groups() {
    std::vector<Asset>& assets = content_.assets;
    size_t winners = 0;
    for (size_t begin = 0; begin < assets.size();) {
      size_t end = begin + 1;
      while (end < assets.size() && compare(assets[begin].path, assets[end].path) == 0) ++end;
      SKL_TRY_DO(check_taken_apart(begin, end));
      SKL_TRY_DO(check_spellings(begin, end));
      for (size_t i = begin; i + 1 < end; ++i)
        content_.shadowed.push_back(
            {assets[i].path, assets[i].place, static_cast<uint32_t>(winners)});
      assets[winners] = assets[end - 1];
      ++winners;
      begin = end;
    }
    assets.resize(winners);
    return {};
  }

  const Layers::Layer& layer_of(const Asset& asset) const {
    return layers_.layers[layers_.of_source[asset.place.source]];
  }

  // Refuses a path of an archive that was taken apart if its root has the path twice, because only
  // the engine knows which of the two counts.
  Result<void> check_taken_apart(size_t begin, size_t end) const {
    for (size_t i = begin + 1; i < end; ++i) {
      const Asset& before = content_.assets[i - 1];
      const Asset& after = content_.assets[i];
      const Layers::Layer& first = layer_of(before);
      const Layers::Layer& second = layer_of(after);
      if (first.root == second.root && (first.is_taken_apart || second.is_taken_apart))
        return damaged({.file = content_.sources[after.place.source].path,
                        .place = fmt::format("'{}'", after.path),
                        .expected = "a path that nothing else has, as --take-apart needs",
                        .found = describe_place(before.path, before.place) + " as well",
                        .advice = before.place.source == after.place.source
                                      ? "take the archive whole (--opaque)"
                                      : "keep archives' names apart (--keep-archives), or take "
                                        "an archive whole (--opaque)"});
    }
    return {};
  }

  // Refuses two spellings of a path in one layer, because it wouldn't be clear which one counts.
  Result<void> check_spellings(size_t begin, size_t end) const {
    for (size_t i = begin + 1; i < end; ++i) {
      const Asset& before = content_.assets[i - 1];
      const Asset& after = content_.assets[i];
      if (layers_.of_source[before.place.source] == layers_.of_source[after.place.source] &&
          before.path != after.path)
        return damaged({.file = content_.sources[after.place.source].path,
                        .place = fmt::format("'{}'", after.path),
                        .expected = "paths that differ in more than case",
                        .found = describe_place(before.path, before.place) + " as well",
                        .advice = kRenameAdvice});
    }
    return {};
  }

  // Refuses a path that is the folder of another path, because the two couldn't be extracted side
  // by side.
  Result<void> check_folders() const {
    std::string_view before;
    for (const Asset& asset : content_.assets) {
      const std::string_view path = asset.path;
      // Folders that also contain the previous path have already been checked.
      const auto [mine, other] = std::ranges::mismatch(path, before, [this](char a, char b) {
        return compare({&a, 1}, {&b, 1}) == 0;
      });
      const auto shared = static_cast<size_t>(mine - path.begin());
      for (size_t slash = path.find('/', shared); slash != path.npos;
           slash = path.find('/', slash + 1))
        if (const Asset* file = find(path.substr(0, slash)))
          return damaged({.file = content_.sources[asset.place.source].path,
                          .place = fmt::format("'{}'", path),
                          .expected = fmt::format("'{}' to be a folder", path.substr(0, slash)),
                          .found = "a file: " + describe_place(file->path, file->place),
                          .advice = kRenameAdvice});
      before = path;
    }
    return {};
  }

  const Asset* find(std::string_view path) const {
    const auto at = std::ranges::lower_bound(
        content_.assets, path,
        [this](std::string_view a, std::string_view b) { return compare(a, b) < 0; }, &Asset::path);
    return at != content_.assets.end() && compare(at->path, path) == 0 ? &*at : nullptr;
  }

  // Sorts by the paths themselves, after they were sorted by folded paths.
  void sort_by_path() {
    std::vector<uint32_t> order(content_.assets.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [this](uint32_t i) { return content_.assets[i].path; });
    std::vector<uint32_t> place(order.size());
    std::vector<Asset> sorted;
    sorted.reserve(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(content_.assets[order[i]]);
    }
    content_.assets = std::move(sorted);
    for (Shadowed& shadowed : content_.shadowed) shadowed.winner = place[shadowed.winner];
    std::ranges::stable_sort(content_.shadowed, {}, &Shadowed::path);
  }

  Content content_;
  Layers layers_;
  bool fold_case_;
  bool any_names_;
};

}  // namespace

Result<Content> keep_winners(Content scanned, Layers layers, const ScanOptions& options) {
  return Merger(std::move(scanned), std::move(layers), options).merge();
}

}  // namespace seekless

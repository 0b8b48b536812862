#include "packer/build/input_files.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "packer/build/build_file.h"
#include "packer/host/files.h"
#include "packer/path/glob.h"

namespace seekless {
namespace {

std::string last_component(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

auto place_of(const KnownFile& file) {
  return std::tuple(file.root, file.path);
}

auto place_of(const InputFile& file) {
  return std::tuple(file.root, std::string_view(file.path));
}

// Of the file at `path`; how many there are, if it is none of them.
size_t find_file(std::string_view path, const std::vector<std::string>& roots,
                 const std::vector<InputFile>& files) {
  for (uint32_t root = 0; root < roots.size(); ++root) {
    const bool is_below = path.starts_with(roots[root]) && path.size() > roots[root].size() &&
                          path[roots[root].size()] == '/';
    if (!is_below && path != roots[root]) continue;
    const auto wanted =
        std::tuple(root, path.substr(is_below ? roots[root].size() + 1 : path.rfind('/') + 1));
    const auto at = std::ranges::lower_bound(files, wanted, {},
                                             [](const InputFile& file) { return place_of(file); });
    if (at != files.end() && place_of(*at) == wanted)
      return static_cast<size_t>(at - files.begin());
  }
  return files.size();
}

// Calls `visit(before or null, now or null)` for each file of two sorted lists, until it says no.
template <typename Before, typename Visit>
void merge(const std::vector<Before>& before, const std::vector<InputFile>& now, Visit visit) {
  size_t i = 0;
  size_t j = 0;
  bool goes_on = true;
  while (goes_on && (i < before.size() || j < now.size())) {
    const bool has_both = i < before.size() && j < now.size();
    const bool takes_old = has_both ? place_of(before[i]) <= place_of(now[j]) : i < before.size();
    const bool takes_new = has_both ? place_of(now[j]) <= place_of(before[i]) : j < now.size();
    goes_on = visit(takes_old ? &before[i] : nullptr, takes_new ? &now[j] : nullptr);
    i += takes_old ? 1 : 0;
    j += takes_new ? 1 : 0;
  }
}

Result<void> add_root(const std::string& root, uint32_t number,
                      const std::vector<std::string>& exclude, unsigned threads,
                      std::vector<InputFile>& files) {
  if (kind_of_path(root) == PathKind::folder) {
    auto found = stamp_folder(root, threads);
    if (!found) return std::unexpected(found.error());
    files.reserve(files.size() + found->size());
    for (StampedFile& file : *found)
      if (!matches_any_glob(exclude, file.path))
        files.push_back({number, std::move(file.path), file.stamp});
    return {};
  }
  const auto stamp = change_stamp_of(root);
  if (!stamp) return std::unexpected(stamp.error());
  if (!*stamp)
    return wrong_usage({.file = root,
                        .expected = "a folder or an archive with content",
                        .found = "nothing of that name",
                        .advice = "check 'content' in the build file"});
  std::string name = last_component(root);
  if (!matches_any_glob(exclude, name)) files.push_back({number, std::move(name), **stamp});
  return {};
}

// Looks into the folder that is named in front of the first component with a wildcard.
Result<std::vector<std::string>> matching_files(const std::string& pattern,
                                                const std::string& from) {
  std::vector<std::string> matching;
  const size_t wildcard = pattern.find_first_of("*?[");
  if (wildcard == std::string::npos) {
    std::string path = path_from(from, pattern);
    if (kind_of_path(path) == PathKind::file) matching.push_back(std::move(path));
    return matching;
  }
  const size_t begin = pattern.rfind('/', wildcard) + 1;  // 0 if there is no slash
  const std::string folder = path_from(from, pattern.substr(0, begin));
  const std::string rest = pattern.substr(begin);
  if (kind_of_path(folder) != PathKind::folder) return matching;
  const auto found = stamp_folder(folder);
  if (!found) return std::unexpected(found.error());
  const bool is_for_names = rest.find('/') == std::string::npos && !rest.starts_with("**");
  for (const StampedFile& file : *found) {
    // A pattern of one component is for this folder, not for those in it.
    if (is_for_names && file.path.find('/') != std::string::npos) continue;
    if (matches_glob(rest, file.path)) matching.push_back(path_from(folder, file.path));
  }
  return matching;
}

}  // namespace

bool is_at(std::string_view path, std::string_view root, std::string_view relative) {
  if (path == root) return true;
  return path.size() == root.size() + 1 + relative.size() && path.starts_with(root) &&
         path.ends_with(relative);
}

Result<std::vector<InputFile>> find_input_files(const std::vector<std::string>& roots,
                                                const std::vector<std::string>& exclude,
                                                unsigned threads) {
  std::vector<InputFile> files;
  for (size_t i = 0; i < roots.size(); ++i)
    if (auto added = add_root(roots[i], static_cast<uint32_t>(i), exclude, threads, files); !added)
      return std::unexpected(added.error());
  return files;
}

std::optional<std::vector<uint32_t>> match_sources(const Content& content,
                                                   const std::vector<std::string>& roots,
                                                   const std::vector<InputFile>& files,
                                                   std::string& appeared) {
  std::vector<uint32_t> matches;
  matches.reserve(content.sources.size());
  size_t next = 0;  // sources mostly come in the order of the files
  for (const Source& source : content.sources) {
    if (next >= files.size() || !is_at(source.path, roots[files[next].root], files[next].path))
      next = find_file(source.path, roots, files);
    if (next == files.size()) {
      appeared = source.path;
      return std::nullopt;
    }
    matches.push_back(static_cast<uint32_t>(next++));
  }
  return matches;
}

std::string describe_change(const ChangeStamp& before, const ChangeStamp& now) {
  if (before.size_bytes != now.size_bytes)
    return fmt::format("size {} -> {}", before.size_bytes, now.size_bytes);
  if (before.written_ns != now.written_ns) return "written again";
  if (before.inode != now.inode) return "replaced by another file";
  if (before.changed_ns != now.changed_ns) return "changed, or its name or rights";
  return "written while the last build looked at it";
}

std::vector<std::string> describe_changes(const std::vector<KnownFile>& before,
                                          const std::vector<InputFile>& now, size_t most) {
  std::vector<std::string> changes;
  merge(before, now, [&](const KnownFile* was, const InputFile* is) {
    if (was == nullptr)
      changes.push_back(is->path + ": new");
    else if (is == nullptr)
      changes.push_back(std::string(was->path) + ": gone");
    else if (was->stamp != is->stamp || !was->is_settled)
      changes.push_back(is->path + ": " + describe_change(was->stamp, is->stamp));
    return changes.size() < most;
  });
  return changes;
}

std::optional<std::string> first_difference(const std::vector<InputFile>& before,
                                            const std::vector<InputFile>& now) {
  std::optional<std::string> difference;
  merge(before, now, [&](const InputFile* was, const InputFile* is) {
    if (was == nullptr)
      difference = is->path + ": new";
    else if (is == nullptr)
      difference = was->path + ": gone";
    else if (was->stamp != is->stamp)
      difference = is->path + ": " + describe_change(was->stamp, is->stamp);
    return !difference;
  });
  return difference;
}

Result<std::vector<std::string>> expand_patterns(const std::vector<std::string>& patterns,
                                                 const std::string& folder,
                                                 const std::string& file) {
  std::set<std::string> all;
  for (const std::string& pattern : patterns) {
    const auto matching = matching_files(pattern, folder);
    if (!matching) return std::unexpected(matching.error());
    if (matching->empty())
      return wrong_usage(
          {.file = file,
           .place = "traces",
           .expected = fmt::format("files that '{}' matches", pattern),
           .found = "none",
           .advice = "record some loads ('seekless record'), or correct the pattern"});
    all.insert(matching->begin(), matching->end());
  }
  return std::vector<std::string>(all.begin(), all.end());
}

}  // namespace seekless

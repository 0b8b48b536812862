#include "packer/project/internal/input_files.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/project/build_file.h"

namespace seekless {
namespace {

// Gets the files in the order of a list of InputFiles.
using VisitFile =
    std::function<void(uint32_t root, std::string_view path, const ChangeStamp& stamp)>;

Result<void> visit_root(const std::string& root, uint32_t number,
                        const std::vector<std::string>& exclude, const VisitFile& visit) {
  const auto add = [&](std::string_view path, const ChangeStamp& stamp) {
    if (!matches_any_glob(exclude, std::string(path))) visit(number, path, stamp);
  };
  if (kind_of_path(root) == PathKind::folder)
    return stamp_each(root, add, [&](std::string_view folder) {
      return any_glob_covers_folder(exclude, folder);
    });
  SKL_TRY(const auto stamp, change_stamp_of(root));
  if (!stamp)
    return wrong_usage({.file = root,
                        .expected = "a folder or an archive with content",
                        .found = "nothing of that name",
                        .advice = "check 'content' in the build file"});
  add(file_name(root), *stamp);
  return {};
}

Result<void> visit_files(const std::vector<std::string>& roots,
                         const std::vector<std::string>& exclude, const VisitFile& visit) {
  for (size_t i = 0; i < roots.size(); ++i)
    SKL_TRY_DO(visit_root(roots[i], static_cast<uint32_t>(i), exclude, visit));
  return {};
}

template <typename Before>
Result<InputDifference> difference_of(const std::vector<Before>& before,
                                      const std::vector<std::string>& roots,
                                      const std::vector<std::string>& exclude) {
  InputDifference difference;
  auto next = before.begin();
  const auto compare = [&](uint32_t root, std::string_view path, const ChangeStamp& stamp) {
    if (difference) return;
    const auto place = std::tuple(root, path);
    if (next != before.end() && sort_key_of(*next) < place)
      difference = std::string(next->path) + ": gone";
    else if (next == before.end() || sort_key_of(*next) != place)
      difference = std::string(path) + ": new";
    else if (next->stamp != stamp)
      difference = std::string(path) + ": " + describe_change(next->stamp, stamp);
    else
      ++next;
  };
  SKL_TRY_DO(visit_files(roots, exclude, compare));
  if (!difference && next != before.end()) difference = std::string(next->path) + ": gone";
  return difference;
}

// Searches the folder in front of the first path component with a wildcard.
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
  SKL_TRY(const auto found, stamp_folder(folder));
  const bool is_for_names = rest.find('/') == std::string::npos && !rest.starts_with("**");
  for (const StampedFile& file : found) {
    // A pattern without a slash matches only files in this folder, not in its subfolders.
    if (is_for_names && file.path.find('/') != std::string::npos) continue;
    if (matches_glob(rest, file.path)) matching.push_back(path_from(folder, file.path));
  }
  return matching;
}

}  // namespace

size_t find_file(std::string_view path, const std::vector<std::string>& roots,
                 const std::vector<InputFile>& files) {
  for (uint32_t root = 0; root < roots.size(); ++root) {
    const bool is_below = path.starts_with(roots[root]) && path.size() > roots[root].size() &&
                          path[roots[root].size()] == '/';
    if (!is_below && path != roots[root]) continue;
    const auto wanted =
        std::tuple(root, path.substr(is_below ? roots[root].size() + 1 : path.rfind('/') + 1));
    const auto at = std::ranges::lower_bound(
        files, wanted, {}, [](const InputFile& file) { return sort_key_of(file); });
    if (at != files.end() && sort_key_of(*at) == wanted)
      return static_cast<size_t>(at - files.begin());
  }
  return files.size();
}

bool is_at(std::string_view path, std::string_view root, std::string_view relative) {
  if (path == root) return true;
  return path.size() == root.size() + 1 + relative.size() && path.starts_with(root) &&
         path.ends_with(relative);
}

Result<InputFiles> find_input_files(const std::vector<std::string>& roots,
                                    const std::vector<std::string>& exclude) {
  InputFiles found;
  const auto add = [&](uint32_t root, std::string_view path, const ChangeStamp& stamp) {
    found.files.push_back({root, found.paths.add(path), stamp});
  };
  SKL_TRY_DO(visit_files(roots, exclude, add));
  return found;
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

void FileChanges::tell(std::string_view path, const std::string& what) {
  if (changes_.size() < most_) changes_.push_back(std::string(path) + ": " + what);
}

void FileChanges::add_new_ones(size_t end) {
  for (; next_ < end; ++next_) tell(now_[next_].path, "new");
}

void FileChanges::add(const KnownFile& before) {
  size_t end = next_;
  while (end < now_.size() && sort_key_of(now_[end]) < sort_key_of(before)) ++end;
  add_new_ones(end);
  if (next_ == now_.size() || sort_key_of(now_[next_]) != sort_key_of(before))
    return tell(before.path, "gone");
  const InputFile& now = now_[next_++];
  if (before.stamp != now.stamp || !before.is_settled)
    tell(now.path, describe_change(before.stamp, now.stamp));
  else
    is_known_plain_[next_ - 1] = before.is_plain;
}

std::vector<std::string> FileChanges::finish() {
  add_new_ones(now_.size());
  return std::move(changes_);
}

Result<InputDifference> first_difference(const std::vector<InputFile>& before,
                                         const std::vector<std::string>& roots,
                                         const std::vector<std::string>& exclude) {
  return difference_of(before, roots, exclude);
}

Result<InputDifference> first_difference(const std::vector<KnownFile>& before,
                                         const std::vector<std::string>& roots,
                                         const std::vector<std::string>& exclude) {
  return difference_of(before, roots, exclude);
}

Result<std::vector<std::string>> expand_patterns(const std::vector<std::string>& patterns,
                                                 const std::string& folder,
                                                 const std::string& file) {
  std::set<std::string> all;
  for (const std::string& pattern : patterns) {
    SKL_TRY(const auto matching, matching_files(pattern, folder));
    if (matching.empty())
      return wrong_usage(
          {.file = file,
           .place = "traces",
           .expected = fmt::format("files that '{}' matches", pattern),
           .found = "none",
           .advice = "record some loads ('seekless record'), or correct the pattern"});
    all.insert(matching.begin(), matching.end());
  }
  return std::vector<std::string>(all.begin(), all.end());
}

}  // namespace seekless

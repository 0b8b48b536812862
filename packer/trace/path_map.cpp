#include "packer/trace/path_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/base/windows_names.h"

namespace seekless {
namespace {

std::string without_last_slash(std::string_view path, bool is_windows) {
  while (!path.empty() && (path.back() == '/' || (is_windows && path.back() == '\\')))
    path.remove_suffix(1);
  return std::string(path);
}

}  // namespace

Result<PathMap> PathMap::parse(std::string_view rule) {
  const size_t equals = rule.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong_usage({.place = "--map",
                        .expected = "FROM=TO, such as /old/folder=/new/folder",
                        .found = fmt::format("'{}'", rule)});
  const std::string_view from = rule.substr(0, equals);
  const std::string_view to = rule.substr(equals + 1);
  const bool is_windows = is_path_of_windows(from);
  // A TO of "/" must stay the root, because "" would make the paths relative.
  std::string new_front = without_last_slash(to, is_path_of_windows(to));
  if (new_front.empty() && !to.empty()) new_front.push_back('/');
  return PathMap(without_last_slash(from, is_windows), std::move(new_front), is_windows);
}

std::optional<std::string> PathMap::apply(std::string_view path) const {
  const std::string_view front = path.substr(0, from_.size());
  if (is_windows_ ? one_windows_spelling(front) != spelt_from_ : front != from_)
    return std::nullopt;
  std::string_view rest = path.substr(from_.size());
  if (rest.empty()) return to_;
  if (rest.front() != '/' && !(is_windows_ && rest.front() == '\\')) return std::nullopt;
  rest.remove_prefix(1);
  const char slash = is_path_of_windows(to_) ? '\\' : '/';
  std::string mapped = to_;
  if (!mapped.empty() && mapped != "/") mapped += slash;
  const size_t front_bytes = mapped.size();
  mapped += rest;
  if (is_windows_)
    std::replace_if(mapped.begin() + static_cast<ptrdiff_t>(front_bytes), mapped.end(),
                    is_slash_of_windows, slash);
  return mapped;
}

std::string map_path(std::span<const PathMap> rules, std::string_view path) {
  for (const PathMap& rule : rules)
    if (auto mapped = rule.apply(path)) return *std::move(mapped);
  return std::string(path);
}

}  // namespace seekless

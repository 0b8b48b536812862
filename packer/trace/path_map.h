// Rewrites the front of paths, because a trace recorded elsewhere has that machine's paths. Rules
// come from the user as FROM=TO; paths come from traces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/base/windows_names.h"

namespace seekless {

// Holds one rule. FROM matches whole components: "/g" is the front of "/g" and "/g/a", but not of
// "/ga". A FROM that starts with a drive letter ("C:\Games") or two backslashes is a Windows path:
// it matches either slash and ignores the case of letters, and the rest of the path gets the
// slashes of TO. Otherwise bytes are compared exactly.
class PathMap {
 public:
  // `rule` is "FROM=TO", split at the first '='. If TO is empty, the rest of the path becomes a
  // relative path. Fails (wrong usage) without '=' or with an empty FROM.
  static Result<PathMap> parse(std::string_view rule);

  // Returns the rewritten path, or nothing if FROM isn't its front.
  std::optional<std::string> apply(std::string_view path) const;

 private:
  PathMap(std::string from, std::string to, bool is_windows)
      : from_(std::move(from)),
        spelt_from_(one_windows_spelling(from_)),
        to_(std::move(to)),
        is_windows_(is_windows) {}

  std::string from_;        // without a trailing slash, so "" is the root
  std::string spelt_from_;  // from_ in the form in which Windows compares names
  std::string to_;          // without a trailing slash
  bool is_windows_;
};

// Applies the first matching rule to `path`; returns `path` itself if none matches.
std::string map_path(std::span<const PathMap> rules, std::string_view path);

}  // namespace seekless

// Rewrites the front of paths: a trace that was recorded elsewhere names files by the places they
// had there. Rules come from the user as FROM=TO; paths come from traces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/base/windows_names.h"

namespace seekless {

// One rule. FROM matches whole components: "/g" is the front of "/g" and "/g/a", not of "/ga".
// A FROM that starts with a drive letter ("C:\Games") or two backslashes is a Windows path: it
// matches letters of either case and either slash, and what follows it gets the slashes of
// TO. Bytes are compared as they are otherwise.
class PathMap {
 public:
  // `rule` is "FROM=TO", split at the first '='. TO may be empty: what follows FROM then becomes a
  // relative path. Fails (wrong usage) without '=' or with an empty FROM.
  static Result<PathMap> parse(std::string_view rule);

  // The rewritten path, or nothing if FROM isn't its front.
  std::optional<std::string> apply(std::string_view path) const;

 private:
  PathMap(std::string from, std::string to, bool is_windows)
      : from_(std::move(from)),
        spelt_from_(one_windows_spelling(from_)),
        to_(std::move(to)),
        is_windows_(is_windows) {}

  std::string from_;        // without a slash at its end, so "" is the root
  std::string spelt_from_;  // as Windows compares it
  std::string to_;          // likewise
  bool is_windows_;
};

// What the first rule that matches makes of `path`; `path` itself if none does.
std::string map_path(std::span<const PathMap> rules, std::string_view path);

}  // namespace seekless

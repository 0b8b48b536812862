// Examines a game's folder with bounded effort: names and sizes of files, and the first bytes of a
// few files. Follows no links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/archive_kind.h"

namespace seekless {

// Returns the kind's name in JSON: "zip", "archive", "other" or "loose".
std::string_view name_of(ArchiveKind kind);

struct GameFiles {
  ArchiveKind kind = ArchiveKind::none;  // none: loose files
  std::string what = {};                 // name of archives other than zips, such as "Valve's VPK"
  uint64_t files = 0;
  uint64_t bytes = 0;
};

struct GameContent {
  uint64_t files = 0;
  uint64_t bytes = 0;
  std::vector<GameFiles> kinds = {};  // kinds with most bytes first
  bool is_whole = true;               // false if the folder has more files than were examined
  std::string unread = {};  // why the first file or folder couldn't be read; empty if all could be
};

struct ContentEffort {
  uint64_t most_entries = 50'000;  // files and folders that are listed
  size_t most_opened = 24;         // files whose first bytes are read
};

GameContent look_at_content(const std::string& folder, const ContentEffort& effort = {});

}  // namespace seekless

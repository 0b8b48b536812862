// Reads the JSON of launchers: installed games and their titles. Pure, apart from read_manifest().
// Fields that are missing or of another type count as empty.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/base/error.h"

namespace seekless {

using ManifestJson = nlohmann::json;

// Describes a game in a list of installed ones.
struct InstalledEntry {
  std::string id;
  std::string name;  // may be empty
  std::string folder;
  std::string program;  // relative to the folder, or empty
  uint64_t bytes = 0;   // 0 if unknown
};

// Parses a file's text. `file` is for messages. Fails with kind `damaged`, and names the byte.
Result<ManifestJson> parse_manifest(std::string_view text, const std::string& file);
// Reads and parses a file of at most `limit_bytes`.
Result<ManifestJson> read_manifest(const std::string& path, uint64_t limit_bytes);

// These read the forms of installed.json of Epic's games (legendary), GOG's (gogdl) and Amazon's
// (nile), and Heroic's list of games that the user added. They return nothing for another form.
using InstalledEntries = std::optional<std::vector<InstalledEntry>>;
InstalledEntries legendary_entries(const ManifestJson& json);
InstalledEntries gogdl_entries(const ManifestJson& json);
InstalledEntries nile_entries(const ManifestJson& json);
InstalledEntries sideloaded_entries(const ManifestJson& json);
// Reads a manifest of Epic's own launcher (*.item); its game has no folder if it isn't installed.
InstalledEntry epic_entry(const ManifestJson& json);
// Reads goggame-*.info, which lies in a game's folder.
InstalledEntry gog_info_entry(const ManifestJson& json);

// Returns the titles by id of Heroic's catalogue of a store.
std::map<std::string, std::string> titles_of(const ManifestJson& json);

}  // namespace seekless

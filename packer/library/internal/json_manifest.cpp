#include "packer/library/internal/json_manifest.h"

#include <utility>

#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"
#include "packer/library/internal/steam_manifest.h"

namespace seekless {
namespace {

const ManifestJson& member_of(const ManifestJson& json, const char* key) {
  static const ManifestJson kNone;
  if (!json.is_object()) return kNone;
  const auto found = json.find(key);
  return found == json.end() ? kNone : *found;
}

std::string text_member(const ManifestJson& json, const char* key) {
  const ManifestJson& value = member_of(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

uint64_t size_member(const ManifestJson& json, const char* key) {
  const ManifestJson& value = member_of(json, key);
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  return value.is_string() ? number_or_zero(value.get_ref<const std::string&>()) : 0;
}

bool flag_member(const ManifestJson& json, const char* key) {
  const ManifestJson& value = member_of(json, key);
  return value.is_boolean() && value.get<bool>();
}

// Returns the array under the key, or `json` itself if it is an array.
const ManifestJson& list_of(const ManifestJson& json, const char* key) {
  static const ManifestJson kEmpty = ManifestJson::array();
  const ManifestJson& list = json.is_array() ? json : member_of(json, key);
  return list.is_array() ? list : kEmpty;
}

bool is_list_or_object(const ManifestJson& json) {
  return json.is_array() || json.is_object();
}

}  // namespace

Result<ManifestJson> parse_manifest(std::string_view text, const std::string& file) {
  try {
    return parse_json<ManifestJson>(text);
  } catch (const ManifestJson::parse_error& error) {
    return damaged({.file = file,
                    .place = fmt::format("byte {}", error.byte),
                    .expected = "JSON",
                    .found = short_message(error),
                    .advice = "the launcher writes the file anew when it starts"});
  } catch (const ManifestJson::exception& error) {
    return damaged({.file = file, .expected = "JSON", .found = short_message(error)});
  }
}

Result<ManifestJson> read_manifest(const std::string& path, uint64_t limit_bytes) {
  SKL_TRY(const auto text, read_text(path, limit_bytes));
  return parse_manifest(text, path);
}

InstalledEntries legendary_entries(const ManifestJson& json) {
  if (!json.is_object()) return std::nullopt;
  std::vector<InstalledEntry> entries;
  for (const auto& [key, game] : json.items()) {
    if (!game.is_object() || flag_member(game, "is_dlc")) continue;
    const std::string id = text_member(game, "app_name");
    entries.push_back({.id = id.empty() ? key : id,
                       .name = text_member(game, "title"),
                       .folder = text_member(game, "install_path"),
                       .program = text_member(game, "executable"),
                       .bytes = size_member(game, "install_size")});
  }
  return entries;
}

InstalledEntries gogdl_entries(const ManifestJson& json) {
  if (!is_list_or_object(json)) return std::nullopt;
  std::vector<InstalledEntry> entries;
  for (const ManifestJson& game : list_of(json, "installed"))
    if (game.is_object() && !flag_member(game, "is_dlc"))
      entries.push_back({.id = text_member(game, "appName"),
                         .name = text_member(game, "title"),
                         .folder = text_member(game, "install_path"),
                         .program = text_member(game, "executable"),
                         .bytes = size_member(game, "install_size")});
  return entries;
}

InstalledEntries nile_entries(const ManifestJson& json) {
  if (!is_list_or_object(json)) return std::nullopt;
  std::vector<InstalledEntry> entries;
  for (const ManifestJson& game : list_of(json, "installed"))
    if (game.is_object())
      entries.push_back({.id = text_member(game, "id"),
                         .name = text_member(game, "title"),
                         .folder = text_member(game, "path"),
                         .program = {},
                         .bytes = size_member(game, "size")});
  return entries;
}

InstalledEntries sideloaded_entries(const ManifestJson& json) {
  if (!json.is_object()) return std::nullopt;
  std::vector<InstalledEntry> entries;
  for (const ManifestJson& game : list_of(json, "games"))
    if (game.is_object() && flag_member(game, "is_installed"))
      entries.push_back({.id = text_member(game, "app_name"),
                         .name = text_member(game, "title"),
                         .folder = text_member(game, "folder_name"),
                         .program = text_member(member_of(game, "install"), "executable")});
  return entries;
}

InstalledEntry epic_entry(const ManifestJson& json) {
  return {.id = text_member(json, "AppName"),
          .name = text_member(json, "DisplayName"),
          .folder =
              flag_member(json, "bIsIncompleteInstall") ? "" : text_member(json, "InstallLocation"),
          .program = text_member(json, "LaunchExecutable"),
          .bytes = size_member(json, "InstallSize")};
}

namespace {

// Returns the file that GOG's launcher starts, relative to the game's folder; empty if the manifest
// names none.
std::string primary_program(const ManifestJson& json) {
  for (const ManifestJson& task : list_of(member_of(json, "playTasks"), ""))
    if (flag_member(task, "isPrimary") && text_member(task, "type") == "FileTask")
      return text_member(task, "path");
  return {};
}

}  // namespace

InstalledEntry gog_info_entry(const ManifestJson& json) {
  return {.id = text_member(json, "gameId"),
          .name = text_member(json, "name"),
          .folder = {},
          .program = primary_program(json)};
}

std::map<std::string, std::string> titles_of(const ManifestJson& json) {
  std::map<std::string, std::string> titles;
  const ManifestJson& games =
      json.is_array() ? json : list_of(json, json.contains("games") ? "games" : "library");
  for (const ManifestJson& game : games) {
    const ManifestJson& product = member_of(game, "product");
    const ManifestJson& from = product.is_object() ? product : game;
    std::string id = text_member(from, "app_name");
    if (id.empty()) id = text_member(from, "id");
    if (std::string title = text_member(from, "title"); !id.empty() && !title.empty())
      titles.emplace(std::move(id), std::move(title));
  }
  return titles;
}

}  // namespace seekless

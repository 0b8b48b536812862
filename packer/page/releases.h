// What releases have cost players, one after the other: a record that each build with a lock adds
// to, as JSON, and the page and the text that tell of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace seekless {

// In the state folder.
inline constexpr const char* kReleasesName = "releases.json";
inline constexpr size_t kMostReleases = 500;  // the latest ones are kept

// The record with one release more: that of a build as in schemas/build-result.schema.json, which
// has a patch. `before` is the text of the record; what isn't one counts as empty.
nlohmann::ordered_json with_release(std::string_view before, const nlohmann::ordered_json& build);

// The releases of a record, oldest first, as in schemas/update.schema.json; none if `text` isn't
// one.
std::optional<nlohmann::ordered_json> releases_of(std::string_view text);

// Both for one release or more.
std::string releases_text(const nlohmann::ordered_json& releases, size_t columns);
std::string releases_html(std::string_view name, const nlohmann::ordered_json& releases);

}  // namespace seekless

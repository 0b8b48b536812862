// Defines the answer of 'report --updates': the cost of each release for players. Each build with a
// lock adds one release to a record in the state folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/answer/build_tables.h"
#include "packer/answer/internal/update_costs.h"

namespace seekless {

// Name of the record in the state folder.
inline constexpr const char* kReleasesName = "releases.json";
inline constexpr size_t kMostReleases = 500;  // only the latest releases are kept

struct Release {
  UpdateCosts update;
  uint64_t packs_bytes = 0;  // size of all packs
};

// Reads the releases of a record, oldest first. Returns none if `text` isn't a record.
std::optional<std::vector<Release>> read_releases(std::string_view text);
// Returns the record with one more release. `before` is the text of the record; any text that isn't
// a record counts as an empty one.
std::string with_release(std::string_view before, const UpdateCosts& update, uint64_t packs_bytes);

struct UpdatesAnswer {
  std::string build_file;
  std::vector<Release> releases;  // one or more
};

// Prints the answer. `is_verbose` adds the assets that cost most, other prices, and how well edits
// are predicted.
std::string to_text(const UpdatesAnswer& updates, size_t columns, bool is_verbose);
nlohmann::ordered_json to_json(const UpdatesAnswer& updates);

// These return the parts of the answer for the page.
std::string releases_sentence(const std::vector<Release>& releases);
// Says how well prices of copies predict the cost of edits; returns an empty text while the history
// is too short.
std::string foreseen_sentence(const std::vector<Release>& releases);
ReportTable releases_table(const std::vector<Release>& releases, size_t most);
ReportTable costly_assets_table(const std::vector<Release>& releases);
// Shows the latest release that has figures for other prices.
ReportTable other_prices_table(const std::vector<Release>& releases);

}  // namespace seekless

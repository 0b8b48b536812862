// The answer of 'report --updates': what releases have cost players, one after the other. Each
// build with a lock adds one to a record in the state folder.
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

// The record's name in the state folder.
inline constexpr const char* kReleasesName = "releases.json";
inline constexpr size_t kMostReleases = 500;  // the latest ones are kept

struct Release {
  UpdateCosts update;
  uint64_t packs_bytes = 0;  // of all packs
};

// The releases of a record, oldest first; none if `text` isn't one.
std::optional<std::vector<Release>> read_releases(std::string_view text);
// The record with one release more. `before` is the text of the record; what isn't one counts as
// empty.
std::string with_release(std::string_view before, const UpdateCosts& update, uint64_t packs_bytes);

struct UpdatesAnswer {
  std::string build_file;
  std::vector<Release> releases;  // one or more
};

// `is_verbose` adds the assets that cost most, other prices, and how well edits are foreseen.
std::string to_text(const UpdatesAnswer& updates, size_t columns, bool is_verbose);
nlohmann::ordered_json to_json(const UpdatesAnswer& updates);

// The parts of the answer, for the page.
std::string releases_sentence(const std::vector<Release>& releases);
// Says how well prices of copies foresee the cost of edits; empty while nothing is known.
std::string foreseen_sentence(const std::vector<Release>& releases);
ReportTable releases_table(const std::vector<Release>& releases, size_t most);
ReportTable costly_assets_table(const std::vector<Release>& releases);
// Shows the latest release that knows of other prices.
ReportTable other_prices_table(const std::vector<Release>& releases);

}  // namespace seekless

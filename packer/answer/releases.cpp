#include "packer/answer/releases.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/build_tables.h"
#include "packer/answer/internal/notes.h"
#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostCostly = 10;
// If the log loss shrinks by a smaller share, knowing assets' extensions hardly helps.
constexpr double kTellingShare = 0.05;
struct AssetCost {
  uint64_t bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t releases = 0;
};

// Adds up what each asset has cost in all releases, the most expensive first.
std::vector<std::pair<std::string, AssetCost>> asset_costs(const std::vector<Release>& releases) {
  std::map<std::string, AssetCost> costs;
  for (const Release& release : releases)
    for (const CostlyAsset& asset : release.update.assets) {
      AssetCost& cost = costs[asset.path];
      cost.bytes = asset.size_bytes;
      cost.written_bytes += asset.written_bytes;
      ++cost.releases;
    }
  std::vector<std::pair<std::string, AssetCost>> order(costs.begin(), costs.end());
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto& one) { return one.second.written_bytes; });
  return order;
}

std::string plain_table(const ReportTable& table, size_t columns) {
  if (table.rows.empty()) return "";
  TextTable text;
  for (const TextColumn& column : table.columns) text.headings.emplace_back(column.title);
  text.rows = table.rows;
  return "\n" + text.to_text(columns) +
         (table.left_out > 0 ? fmt::format("and {} before them; --json has all\n", table.left_out)
                             : "");
}

Release release_of(const Json& json) {
  return {.update = update_costs_of(json),
          .packs_bytes = whole_member<uint64_t>(json, "packs_bytes")};
}

Json array_of_releases(const std::vector<Release>& releases) {
  Json json = Json::array();
  for (const Release& release : releases) {
    json.push_back(to_json(release.update));
    json.back()["packs_bytes"] = release.packs_bytes;
  }
  return json;
}

}  // namespace

std::optional<std::vector<Release>> read_releases(std::string_view text) {
  try {
    const Json json = parse_json<Json>(text);
    std::vector<Release> releases;
    for (const Json& release : json.at("releases").get_ref<const Json::array_t&>())
      releases.push_back(release_of(release));
    return releases;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string with_release(std::string_view before, const UpdateCosts& update, uint64_t packs_bytes) {
  std::vector<Release> releases = read_releases(before).value_or(std::vector<Release>());
  releases.push_back({.update = update, .packs_bytes = packs_bytes});
  if (releases.size() > kMostReleases) releases.erase(releases.begin());
  return Json({{"releases", array_of_releases(releases)}})
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

ReportTable releases_table(const std::vector<Release>& releases, size_t most) {
  ReportTable table = {"Releases",
                       {{"release", true},
                        {"edited MB"},
                        {"in chunks MB"},
                        {"on a grid MB"},
                        {"written MB"},
                        {"by edited"},
                        {"room MB"},
                        {"waits s"},
                        {"in place s"}},
                       {},
                       releases.size() - std::min(releases.size(), most)};
  for (size_t i = table.left_out; i < releases.size(); ++i) {
    const UpdateCosts& update = releases[i].update;
    const ClientCost& grid = update.clients[static_cast<size_t>(Client::grid)];
    const ClientCost& apply = update.clients[static_cast<size_t>(Client::apply)];
    const auto times = ratio(static_cast<double>(update.written_bytes()),
                             static_cast<double>(update.edited_bytes));
    table.rows.push_back({fmt::to_string(i + 1), megabyte_cell(update.edited_bytes),
                          megabyte_cell(update.chunk_bytes), megabyte_cell(update.grid_bytes),
                          megabyte_cell(update.written_bytes()),
                          times ? number_cell(*times, 1) : "-", megabyte_cell(grid.peak_room_bytes),
                          number_cell(grid.seconds, 1), number_cell(apply.seconds, 1)});
  }
  return table;
}

// Never says that rows are left out, because each release already lists only its ten most expensive
// assets.
ReportTable costly_assets_table(const std::vector<Release>& releases) {
  const auto order = asset_costs(releases);
  ReportTable table = {
      "Assets that cost most", {{"asset", true}, {"MB"}, {"releases"}, {"written MB"}}, {}, 0};
  for (size_t i = 0; i < std::min(order.size(), kMostCostly); ++i)
    table.rows.push_back({order[i].first, megabyte_cell(order[i].second.bytes),
                          grouped(order[i].second.releases),
                          megabyte_cell(order[i].second.written_bytes)});
  return table;
}

ReportTable other_prices_table(const std::vector<Release>& releases) {
  ReportTable table = {"Other prices",
                       {{"max_dead, rewrite_price", true},
                        {"in chunks MB"},
                        {"written MB"},
                        {"packs MB"},
                        {"sweeps s"}},
                       {},
                       0};
  for (size_t i = releases.size(); i-- > 0 && table.rows.empty();)
    for (const PricedUpdate& price : releases[i].update.prices)
      table.rows.push_back(
          {fmt::format("{}, {}{}", price.prices.max_dead, price.prices.rewrite_price,
                       price.is_chosen ? " (chosen)" : ""),
           megabyte_cell(price.chunk_bytes), megabyte_cell(price.written_bytes),
           megabyte_cell(price.packs_bytes), number_cell(price.sweep_s, 2)});
  return table;
}

std::string releases_sentence(const std::vector<Release>& releases) {
  uint64_t edited = 0;
  uint64_t written = 0;
  uint64_t chunks = 0;
  double seconds = 0;
  for (const Release& release : releases) {
    edited += release.update.edited_bytes;
    chunks += release.update.chunk_bytes;
    written += release.update.written_bytes();
    seconds += release.update.clients[static_cast<size_t>(Client::grid)].seconds;
  }
  const auto times = ratio(static_cast<double>(written), static_cast<double>(edited));
  return fmt::format(
      "In {}, {} were edited. Players downloaded {} in content-defined chunks; clients that make "
      "files anew wrote {}{}, and kept a {} busy for {}.",
      grouped_count(releases.size(), "release"), bytes_text(edited), bytes_text(chunks),
      bytes_text(written), times ? fmt::format(", {} times the edits", number_cell(*times, 1)) : "",
      releases.back().update.drive, seconds_text(seconds));
}

std::string foreseen_sentence(const std::vector<Release>& releases) {
  const auto& foreseen = releases.back().update.foreseen;
  if (!foreseen) return "";
  const double loss = foreseen->log_loss;
  const double constant = foreseen->constant_log_loss;
  const double less = constant > 0 ? 1 - loss / constant : 0;
  return fmt::format(
      "The planner charges copies for the updates that later edits will cause. It guesses from an "
      "asset's extension how likely an edit is. This guess has a log loss of {:.3f} an asset; the "
      "same chance for all assets has {:.3f}{}; judged on {}.",
      loss, constant,
      less < kTellingShare ? ", so extensions tell little"
                           : fmt::format(", {:.0f} % more", (constant / loss - 1) * 100),
      grouped_count(foreseen->assets, "forecast"));
}

std::string to_text(const UpdatesAnswer& updates, size_t columns, bool is_verbose) {
  const std::vector<Release>& releases = updates.releases;
  std::string text = paragraph(releases_sentence(releases), columns) +
                     plain_table(releases_table(releases, kMostTableRows), columns);
  if (is_verbose)
    text += plain_table(costly_assets_table(releases), columns) +
            plain_table(other_prices_table(releases), columns);
  AnswerNotes notes = {
      .brief = {"written, room, waits: of clients that make files anew, as SteamPipe's does",
                "in place: by 'seekless apply'"},
      .more = {}};
  if (const std::string foreseen = foreseen_sentence(releases); !foreseen.empty())
    notes.more.push_back(foreseen);
  else
    notes.more.emplace_back("downloads are counted before compression");
  text += "\n" + to_text(notes, is_verbose, columns);
  text.pop_back();
  return text;
}

Json to_json(const UpdatesAnswer& updates) {
  return {{"seekless", "updates"},
          {"version", 1},
          {"build_file", updates.build_file},
          {"releases", array_of_releases(updates.releases)}};
}

}  // namespace seekless

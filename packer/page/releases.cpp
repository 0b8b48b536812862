#include "packer/page/releases.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/build_tables.h"
#include "packer/base/json_depth.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/html_tables.h"
#include "packer/page/internal/releases_chart.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostCostly = 10;
// Of the log loss: below it, knowing the extension hardly helps.
constexpr double kTellingShare = 0.05;
constexpr std::string_view kClientsNote =
    "Written: by clients that make every touched file anew, as SteamPipe's does. In place: by "
    "'seekless apply'. Downloads are counted before compression.";

uint64_t written_of(const Json& release) {
  return release.at("clients").at("grid").at("written_bytes").get<uint64_t>();
}

ReportTable release_rows(const Json& releases, size_t most) {
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
    const Json& release = releases[i];
    const Json& grid = release.at("clients").at("grid");
    const auto edited = release.at("edited_bytes").get<uint64_t>();
    const auto times = ratio(static_cast<double>(written_of(release)), static_cast<double>(edited));
    table.rows.push_back(
        {fmt::to_string(i + 1), megabyte_cell(edited),
         megabyte_cell(release.at("chunk_bytes").get<uint64_t>()),
         megabyte_cell(release.at("grid_bytes").get<uint64_t>()),
         megabyte_cell(written_of(release)), times ? number_cell(*times, 1) : "-",
         megabyte_cell(grid.at("peak_room_bytes").get<uint64_t>()),
         number_cell(grid.at("seconds").get<double>(), 1),
         number_cell(release.at("clients").at("apply").at("seconds").get<double>(), 1)});
  }
  return table;
}

// Over all releases.
ReportTable costly_rows(const Json& releases) {
  struct Cost {
    uint64_t bytes = 0;
    uint64_t written = 0;
    uint64_t releases = 0;
  };
  std::map<std::string, Cost> costs;
  for (const Json& release : releases)
    for (const Json& asset : release.at("assets")) {
      Cost& cost = costs[asset.at("path").get<std::string>()];
      cost.bytes = asset.at("bytes").get<uint64_t>();
      cost.written += asset.at("written_bytes").get<uint64_t>();
      ++cost.releases;
    }
  std::vector<std::pair<std::string, Cost>> order(costs.begin(), costs.end());
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto& one) { return one.second.written; });
  ReportTable table = {"Assets that cost most",
                       {{"asset", true}, {"MB"}, {"releases"}, {"written MB"}},
                       {},
                       order.size() - std::min(order.size(), kMostCostly)};
  for (size_t i = 0; i < std::min(order.size(), kMostCostly); ++i)
    table.rows.push_back({order[i].first, megabyte_cell(order[i].second.bytes),
                          grouped(order[i].second.releases),
                          megabyte_cell(order[i].second.written)});
  table.left_out = 0;  // each release has named its own ten alone
  return table;
}

// Of the latest release that knows of any.
ReportTable price_rows_of(const Json& releases) {
  ReportTable table = {"Other prices",
                       {{"max_dead, rewrite_price", true},
                        {"in chunks MB"},
                        {"written MB"},
                        {"packs MB"},
                        {"sweeps s"}},
                       {},
                       0};
  for (size_t i = releases.size(); i-- > 0 && table.rows.empty();)
    for (const Json& price : releases[i].at("prices"))
      table.rows.push_back({fmt::format("{}, {}{}", price.at("max_dead").get<double>(),
                                        price.at("rewrite_price").get<double>(),
                                        price.at("chosen").get<bool>() ? " (chosen)" : ""),
                            megabyte_cell(price.at("chunk_bytes").get<uint64_t>()),
                            megabyte_cell(price.at("written_bytes").get<uint64_t>()),
                            megabyte_cell(price.at("packs_bytes").get<uint64_t>()),
                            number_cell(price.at("sweep_s").get<double>(), 2)});
  return table;
}

std::string lead_of(const Json& releases) {
  uint64_t edited = 0;
  uint64_t written = 0;
  uint64_t chunks = 0;
  double seconds = 0;
  for (const Json& release : releases) {
    edited += release.at("edited_bytes").get<uint64_t>();
    chunks += release.at("chunk_bytes").get<uint64_t>();
    written += written_of(release);
    seconds += release.at("clients").at("grid").at("seconds").get<double>();
  }
  const auto times = ratio(static_cast<double>(written), static_cast<double>(edited));
  return fmt::format(
      "In {}, {} were edited. Players downloaded {} in content-defined chunks; clients that make "
      "files anew wrote {}{}, and kept a {} busy for {}.",
      grouped_count(releases.size(), "release"), bytes_text(edited), bytes_text(chunks),
      bytes_text(written), times ? fmt::format(", {} times the edits", number_cell(*times, 1)) : "",
      releases.back().at("clients").at("drive").get<std::string>(), seconds_text(seconds));
}

// How well copies' prices know what edits will cost; empty while nothing is known.
std::string foreseen_of(const Json& releases) {
  const Json foreseen = releases.back().value("foreseen", Json());
  if (!foreseen.is_object()) return "";
  const auto loss = foreseen.at("log_loss").get<double>();
  const auto constant = foreseen.at("constant_log_loss").get<double>();
  const double less = constant > 0 ? 1 - loss / constant : 0;
  return fmt::format(
      "Copies are charged with what their edits will cost. How likely an asset is to be edited is "
      "taken from its extension: that has a log loss of {:.3f} an asset, and one chance for all "
      "has {:.3f}{}; judged on {}.",
      loss, constant,
      less < kTellingShare ? ", so extensions tell little"
                           : fmt::format(", {:.0f} % more", (constant / loss - 1) * 100),
      grouped_count(foreseen.at("assets").get<uint64_t>(), "forecast"));
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

bool is_release(const Json& release) {
  const auto has_numbers = [](const Json& of, std::initializer_list<const char*> keys) {
    return of.is_object() && std::ranges::all_of(keys, [&](const char* key) {
             return of.contains(key) && of.at(key).is_number() && of.at(key) >= 0;
           });
  };
  const auto has_all = [&](const Json& of, const char* key,
                           std::initializer_list<const char*> keys) {
    return of.contains(key) && of.at(key).is_array() &&
           std::ranges::all_of(of.at(key), [&](const Json& one) { return has_numbers(one, keys); });
  };
  if (!has_numbers(release, {"edited_bytes", "grid_bytes", "chunk_bytes", "packs_bytes"}) ||
      !release.contains("clients") || !release.at("clients").is_object())
    return false;
  const Json& clients = release.at("clients");
  if (!clients.contains("drive") || !clients.at("drive").is_string()) return false;
  for (const char* client : {"grid", "chunks", "apply", "blocks"})
    if (!clients.contains(client) ||
        !has_numbers(clients.at(client), {"downloaded_bytes", "read_bytes", "written_bytes",
                                          "peak_room_bytes", "seconds"}))
      return false;
  if (const Json foreseen = release.value("foreseen", Json());
      !foreseen.is_null() && !has_numbers(foreseen, {"assets", "log_loss", "constant_log_loss"}))
    return false;
  return has_all(release, "assets", {"bytes", "written_bytes"}) &&
         std::ranges::all_of(release.at("assets"),
                             [](const Json& asset) {
                               return asset.contains("path") && asset.at("path").is_string();
                             }) &&
         has_all(release, "prices",
                 {"max_dead", "rewrite_price", "chunk_bytes", "written_bytes", "packs_bytes",
                  "sweep_s"}) &&
         std::ranges::all_of(release.at("prices"), [](const Json& price) {
           return price.contains("chosen") && price.at("chosen").is_boolean();
         });
}

}  // namespace

std::optional<Json> releases_of(std::string_view text) {
  const Json json = parse_json_if_any<Json>(text);
  if (!json.is_object() || !json.contains("releases") || !json.at("releases").is_array())
    return std::nullopt;
  const Json& releases = json.at("releases");
  if (!std::ranges::all_of(releases, is_release)) return std::nullopt;
  return releases;
}

Json with_release(std::string_view before, const Json& build) {
  Json releases = releases_of(before).value_or(Json::array());
  Json release = build.at("patch");
  release["packs_bytes"] = build.at("bytes");
  releases.push_back(std::move(release));
  if (releases.size() > kMostReleases) releases.erase(releases.begin());
  return {{"releases", std::move(releases)}};
}

std::string releases_text(const Json& releases, size_t columns) {
  const std::string foreseen = foreseen_of(releases);
  return paragraph(lead_of(releases), columns) +
         plain_table(release_rows(releases, kMostTableRows), columns) +
         plain_table(costly_rows(releases), columns) +
         plain_table(price_rows_of(releases), columns) +
         (foreseen.empty() ? "" : "\n" + paragraph(foreseen, columns));
}

std::string releases_html(std::string_view name, const Json& releases) {
  const std::string body =
      releases_chart(releases) +
      table_section(release_rows(releases, kMostReleases),
                    fmt::format("{} {}", kClientsNote, foreseen_of(releases))) +
      table_section(costly_rows(releases),
                    "Written: of the files that each lies in, its share among what is new there.") +
      table_section(price_rows_of(releases),
                    "The last release that was built with --explain or a report, as it would be "
                    "under other prices for making packs anew.");
  return page_html(fmt::format("Updates of {}", name), lead_of(releases), body);
}

}  // namespace seekless

#include "packer/answer/report_table.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "packer/answer/report_totals.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

// Holds the numbers of a row's cells.
struct TableLoad {
  std::string name;
  uint64_t needed_bytes = 0;
  LoadCost before;
  LoadCost after;
  std::optional<double> times_faster;
  std::optional<double> over_bound;
};

TableLoad to_load(std::string name, uint64_t needed_bytes, LoadCost before, LoadCost after,
                  double bound_seconds) {
  before.seconds = duration_or_zero(before.seconds);
  after.seconds = duration_or_zero(after.seconds);
  return {std::move(name),
          needed_bytes,
          before,
          after,
          ratio(before.seconds, after.seconds),
          ratio(after.seconds, duration_or_zero(bound_seconds))};
}

// Holds the number of decimals of each column. It is the same in all rows, so that magnitudes can
// be compared.
struct Decimals {
  int megabytes = 0;
  int seconds = 0;
};

Decimals decimals_of(const std::vector<TableLoad>& loads) {
  double most_megabytes = 0;
  double most_seconds = 0;
  for (const TableLoad& load : loads) {
    most_megabytes = std::max({most_megabytes, megabytes(load.needed_bytes),
                               megabytes(load.before.bytes), megabytes(load.after.bytes)});
    most_seconds = std::max({most_seconds, load.before.seconds, load.after.seconds});
  }
  return {std::min(2, decimals_for(most_megabytes)), decimals_for(most_seconds)};
}

std::string ratio_cell(std::optional<double> value, int decimals) {
  return value ? number_cell(*value, *value < 100 ? decimals : 0) : "-";
}

LoadRow to_row(const TableLoad& load, Decimals decimals) {
  const auto in_megabytes = [&](uint64_t bytes) {
    return number_cell(megabytes(bytes), decimals.megabytes);
  };
  return {load.name,
          {in_megabytes(load.needed_bytes), in_megabytes(load.before.bytes),
           count_cell(load.before.reads), count_cell(load.before.seeks),
           number_cell(load.before.seconds, decimals.seconds), in_megabytes(load.after.bytes),
           count_cell(load.after.reads), count_cell(load.after.seeks),
           number_cell(load.after.seconds, decimals.seconds), ratio_cell(load.times_faster, 1),
           ratio_cell(load.over_bound, 2)}};
}

}  // namespace

std::vector<LoadRow> load_rows(const std::vector<ScenarioReport>& scenarios) {
  std::vector<TableLoad> loads;
  loads.reserve(scenarios.size() + 1);
  for (const ScenarioReport& scenario : scenarios)
    loads.push_back(to_load(clean_line(scenario.name), scenario.needed_bytes, scenario.before,
                            scenario.after, scenario.bound_seconds));
  const LoadTotal total = total_of(scenarios);
  loads.push_back(
      to_load("total", total.needed_bytes, total.before, total.after, total.bound_seconds));
  const Decimals decimals = decimals_of(loads);
  std::vector<LoadRow> rows;
  rows.reserve(loads.size());
  for (const TableLoad& load : loads) rows.push_back(to_row(load, decimals));
  return rows;
}

std::vector<PackRow> pack_rows(const std::vector<PackReport>& packs) {
  const PackTotal total = total_of(packs);
  const int decimals = std::min(2, decimals_for(megabytes(total.file_bytes)));
  const auto to_pack_row = [&](std::string name, std::string kind, const auto& pack) {
    return PackRow{std::move(name),
                   std::move(kind),
                   {count_cell(pack.assets), number_cell(megabytes(pack.file_bytes), decimals),
                    number_cell(padding_percent(pack.padding_bytes, pack.file_bytes), 2)}};
  };
  std::vector<PackRow> rows;
  rows.reserve(packs.size() + 1);
  for (const PackReport& pack : packs)
    rows.push_back(to_pack_row(clean_line(pack.name), clean_line(pack.kind), pack));
  rows.push_back(to_pack_row("total", "", total));
  return rows;
}

}  // namespace seekless

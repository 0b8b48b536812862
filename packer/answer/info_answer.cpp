#include "packer/answer/info_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/one_line.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestInfoName = 24;  // the longest name that lets a line fit into 80 columns

// Pads the names of the rows to the same width.
template <typename Row>
std::vector<std::string> info_names(const std::vector<Row>& rows, std::string Row::*name) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(clean_line(row.*name));
  return name_cells(names, kLongestInfoName);
}

}  // namespace

std::string to_text(const InfoAnswer& answer) {
  std::string text = "packs";
  const std::vector<std::string> packs = info_names(answer.packs, &PackInfo::file);
  for (size_t i = 0; i < packs.size(); ++i) {
    const PackInfo& pack = answer.packs[i];
    text += fmt::format("\n  {} {:<6} {:>7} {} {:>6} {:<6} {:>9.1f} MB{}", packs[i], pack.kind,
                        pack.assets, assets_noun(pack.assets), pack.blocks,
                        pack.blocks == 1 ? "block" : "blocks", megabytes(pack.file_bytes),
                        pack.is_compressed ? "  lz4" : "");
  }
  if (answer.has_catalog) text += "\nscenarios";
  const std::vector<std::string> scenarios = info_names(answer.scenarios, &ScenarioInfo::name);
  for (size_t i = 0; i < scenarios.size(); ++i) {
    const ScenarioInfo& scenario = answer.scenarios[i];
    text += fmt::format("\n  {} {:>7} {} {:>9.1f} MB; sweep {:>8.1f} MB in {}", scenarios[i],
                        scenario.assets, assets_noun(scenario.assets), megabytes(scenario.bytes),
                        megabytes(scenario.read_bytes), counted(scenario.ranges, "range"));
  }
  return text;
}

Json to_json(const InfoAnswer& answer) {
  Json packs = Json::array();
  for (const PackInfo& pack : answer.packs)
    packs.push_back({{"file", pack.file},
                     {"kind", pack.kind},
                     {"assets", pack.assets},
                     {"blocks", pack.blocks},
                     {"block_bytes", pack.block_bytes},
                     {"file_bytes", pack.file_bytes},
                     {"content_bytes", pack.content_bytes},
                     {"compressed", pack.is_compressed},
                     {"id", fmt::format("{:016x}", pack.id)}});
  Json scenarios = Json::array();
  for (const ScenarioInfo& scenario : answer.scenarios)
    scenarios.push_back({{"name", scenario.name},
                         {"assets", scenario.assets},
                         {"bytes", scenario.bytes},
                         {"ranges", scenario.ranges},
                         {"read_bytes", scenario.read_bytes}});
  return {{"command", "info"},
          {"hash_seed", answer.hash_seed},
          {"fold_case", answer.folds_case},
          {"packs", std::move(packs)},
          {"scenarios", std::move(scenarios)}};
}

std::string to_text(const AssetInfo& asset, bool is_long) {
  const std::string path = in_one_line(asset.path);
  if (!is_long) return path;
  return fmt::format("{:>12} {:>8} {:>9}  {:<20} {}", asset.bytes, asset.block, asset.offset,
                     asset.pack, path);
}

nlohmann::ordered_json to_json(const AssetInfo& asset) {
  return {{"path", asset.path},   {"bytes", asset.bytes},   {"pack", asset.pack},
          {"block", asset.block}, {"offset", asset.offset}, {"alignment", asset.alignment}};
}

}  // namespace seekless

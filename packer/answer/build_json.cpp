#include "packer/answer/build_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/base/json_depth.h"
#include "packer/drive/load_cost_json.h"
#include "packer/layout/prediction_json.h"
#include "packer/update/clients_json.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json patch_json(const PatchBytes& patch) {
  return {{"grid_bytes", patch.grid_bytes}, {"chunk_bytes", patch.chunk_bytes}};
}

Json pack_json(const PackOutcome& pack) {
  const WrittenPack& written = pack.written;
  return {{"file", written.file_name},
          {"kind", to_string(pack.kind)},
          {"fate", pack.is_written ? "written" : "kept"},
          {"reasons", pack.reasons},
          {"assets", written.placement.order.size()},
          {"file_bytes", written.file_bytes},
          {"content_bytes", written.content_bytes},
          {"duplicate_bytes", written.duplicate_bytes},
          {"saved_bytes", written.saved_bytes},
          {"table_bytes", written.table_bytes},
          {"padding_bytes", written.padding_bytes},
          {"dead_bytes", written.dead_bytes},
          {"blocks", written.placement.blocks.size()},
          {"id", fmt::format("{:016x}", written.pack_id)},
          {"patch", pack.patch ? patch_json(*pack.patch) : Json()}};
}

// Of files that were written, what they really have: compressed packs are shorter than was
// expected.
SetChange as_written(const BuildOutcome& outcome) {
  SetChange change = outcome.patch->change;
  for (ChangedFile& file : change.changed)
    for (const PackOutcome& pack : outcome.packs)
      if (pack.written.file_name == file.name && pack.written.file_bytes > 0)
        file.new_bytes = pack.written.file_bytes;
  // A pack that should have stayed, but wasn't there: players fetch it whole.
  const std::vector<PackForecast>& forecasts = outcome.patch->packs;
  for (size_t i = 0; i < std::min(outcome.packs.size(), forecasts.size()); ++i) {
    const WrittenPack& written = outcome.packs[i].written;
    const uint64_t bytes = written.file_bytes;
    if (outcome.packs[i].is_written && bytes > 0 && forecasts[i].stays_as &&
        forecasts[i].stays_as != written.pack_id)
      change.changed.push_back({written.file_name, bytes, bytes, {bytes, bytes, bytes, bytes}});
  }
  return change;
}

// How well the lock's history foresees which assets change; null while it is too short.
Json foreseen_json(const JudgedChances& judged) {
  if (judged.assets == 0) return {};
  const auto by_asset = [&](uint64_t loss) {
    return static_cast<double>(loss) / 1000 / static_cast<double>(judged.assets);
  };
  return {{"assets", judged.assets},
          {"log_loss", by_asset(judged.loss)},
          {"constant_log_loss", by_asset(judged.constant_loss)}};
}

Json update_json(const BuildOutcome& outcome, const DriveProfile& drive) {
  if (!outcome.patch) return {};
  Json json = patch_json(outcome.patch->total());
  json["edited_bytes"] = outcome.patch->edited_bytes;
  json["clients"] = to_json(client_costs(as_written(outcome), drive), drive);
  json["assets"] = Json::array();
  for (const CostlyAsset& asset : outcome.patch->assets)
    json["assets"].push_back({{"path", asset.path},
                              {"bytes", asset.size_bytes},
                              {"written_bytes", asset.written_bytes}});
  json["prices"] = Json::array();
  for (const PricedUpdate& update : outcome.priced)
    json["prices"].push_back({{"max_dead", update.prices.max_dead},
                              {"rewrite_price", update.prices.rewrite_price},
                              {"chosen", update.is_chosen},
                              {"chunk_bytes", update.chunk_bytes},
                              {"written_bytes", update.written_bytes},
                              {"packs_bytes", update.packs_bytes},
                              {"sweep_s", update.sweep_s}});
  json["foreseen"] = foreseen_json(outcome.changes.judged);
  return json;
}

void add_packs(const BuildOutcome& outcome, Json& json) {
  uint64_t bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t padding_bytes = 0;
  uint64_t dead_bytes = 0;
  json["packs"] = Json::array();
  for (const PackOutcome& pack : outcome.packs) {
    json["packs"].push_back(pack_json(pack));
    bytes += pack.written.file_bytes;
    padding_bytes += pack.written.padding_bytes;
    dead_bytes += pack.written.dead_bytes;
    if (pack.is_written) written_bytes += pack.written.file_bytes;
  }
  json["removed_packs"] = outcome.removed_packs;
  json["bytes"] = bytes;
  json["written_bytes"] = written_bytes;
  const auto share = [&](uint64_t part) {
    return bytes == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(bytes);
  };
  json["padding_share"] = share(padding_bytes);
  json["dead_share"] = share(dead_bytes);
}

Json scenarios_json(const std::vector<LaidScenario>& scenarios,
                    const std::map<std::string, LoadCost>& today) {
  Json json = Json::array();
  for (const LaidScenario& scenario : scenarios) {
    json.push_back({{"name", scenario.name}, {"runs", scenario.runs}, {"today", nullptr}});
    if (const auto load = today.find(scenario.name); load != today.end())
      json.back()["today"] = to_json(load->second);
    json.back()["predicted"] = scenario.predicted ? to_json(*scenario.predicted) : Json();
  }
  return json;
}

Json zips_json(const BuildFile& file, const ZipsOutcome& zips) {
  Json json = {{"folder", file.zips->folder},
               {"fate", zips.is_written ? "written" : "kept"},
               {"reasons", zips.reasons},
               {"archives", Json::array()}};
  for (const RepackedArchive& archive : zips.archives)
    json["archives"].push_back({{"name", archive.name},
                                {"repacked", archive.is_repacked},
                                {"reason", or_null(archive.reason)},
                                {"bytes_before", archive.old_bytes},
                                {"bytes_after", archive.new_bytes},
                                {"entries", archive.entries},
                                {"read_entries", archive.read_entries}});
  return json;
}

}  // namespace

Json to_json(const BuildFile& file, const BuildOutcome& outcome,
             const std::map<std::string, LoadCost>& today, const DriveProfile& drive,
             bool checked_only, double seconds) {
  Json json = {{"command", "build"},
               {"build_file", file.path},
               {"changed", outcome.is_changed},
               {"checked_only", checked_only},
               {"seconds", seconds},
               {"folder", file.packs ? Json(file.packs->folder) : Json()},
               {"layout", file.state + "/" + kLayoutName},
               {"lock", or_null(file.lock)},
               {"inputs",
                {{"assets", outcome.assets},
                 {"bytes", outcome.content_bytes},
                 {"files", outcome.files},
                 {"traces", outcome.traces},
                 {"hashed_bytes", outcome.hashed_bytes}}},
               {"changes",
                {{"is_first", outcome.is_first},
                 {"added", outcome.added},
                 {"removed", outcome.removed},
                 {"changed", outcome.changed},
                 {"moved", outcome.moved}}},
               {"reasons", outcome.reasons},
               {"scenarios", scenarios_json(outcome.scenarios, today)}};
  add_packs(outcome, json);
  json["patch"] = update_json(outcome, drive);
  json["relayout_due"] = outcome.is_relayout_due;
  json["new_recordings"] = outcome.new_recordings;
  json["relayout"] = nullptr;
  if (outcome.gain)
    json["relayout"] = {{"saved_s", outcome.gain->saved_s()},
                        {"kept_s", outcome.gain->kept_s},
                        {"patch", patch_json(outcome.gain->patch.total())}};
  json["prediction"] = outcome.prediction ? to_json(*outcome.prediction) : Json();
  json["verdict"] = nullptr;
  json["zips"] = outcome.zips ? zips_json(file, *outcome.zips) : Json();
  json["gone"] = outcome.gone;
  json["warnings"] = outcome.warnings;
  return json;
}

std::optional<Json> unchanged_outcome(std::string_view last, const BuildFile& file,
                                      const DriveProfile& drive, double seconds) {
  Json json = parse_json_if_any<Json>(last);
  if (!json.is_object() || json.value("command", "") != "build" || !json.contains("packs") ||
      !json["packs"].is_array())
    return std::nullopt;
  json["build_file"] = file.path;
  json["changed"] = false;
  json["checked_only"] = false;
  json["seconds"] = seconds;
  json["inputs"]["hashed_bytes"] = 0;
  json["changes"] = {{"is_first", false},
                     {"added", Json::array()},
                     {"removed", Json::array()},
                     {"changed", Json::array()},
                     {"moved", 0}};
  json["reasons"] = Json::array();
  for (Json& pack : json["packs"]) {
    pack["fate"] = "kept";
    pack["reasons"] = Json::array();
    if (!pack["patch"].is_null()) pack["patch"] = patch_json({});
  }
  if (json["zips"].is_object()) {
    json["zips"]["fate"] = "kept";
    json["zips"]["reasons"] = Json::array();
  }
  json["removed_packs"] = Json::array();
  json["written_bytes"] = 0;
  if (!json["patch"].is_null())
    json["patch"] = {{"grid_bytes", 0},         {"chunk_bytes", 0},
                     {"edited_bytes", 0},       {"clients", to_json(ClientCosts(), drive)},
                     {"assets", Json::array()}, {"prices", Json::array()},
                     {"foreseen", nullptr}};
  return json;
}

void keep_reasons(const Json& before, Json& json) {
  if (json["prediction"].is_null() || !json["prediction"]["curve"].empty()) return;
  if (!before.contains("prediction") || !before["prediction"].is_object()) return;
  for (const char* key : {"reasons", "curve"})
    if (before["prediction"].contains(key)) json["prediction"][key] = before["prediction"][key];
}

}  // namespace seekless

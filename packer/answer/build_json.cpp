// Writes a build's answer as JSON, and reads it back, as in schemas/results/build.schema.json.
#include <string_view>

#include "packer/answer/build_answer.h"
#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/drive/load_cost_json.h"
#include "packer/layout/prediction_json.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

Json to_json(const PatchSizes& patch);
Json to_json(const BuiltScenario& scenario);
Json to_json(const BuiltPack& pack);
Json to_json(const BuiltRelayout& relayout);
Json to_json(const BuiltZips& zips);

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

std::string text_or_none(const Json& json) {
  return json.is_null() ? "" : json.get<std::string>();
}

Json json_or_null(const auto& value) {
  return value ? to_json(*value) : Json();
}

auto value_or_none(const Json& json, auto to_value) -> std::optional<decltype(to_value(json))> {
  if (json.is_null()) return std::nullopt;
  return to_value(json);
}

std::string_view name_of(OutputFate fate) {
  return fate == OutputFate::written ? "written" : "kept";
}

OutputFate read_fate(const Json& json) {
  return json.get<std::string>() == "written" ? OutputFate::written : OutputFate::kept;
}

Json to_json(const PatchSizes& patch) {
  return {{"grid_bytes", patch.grid_bytes}, {"chunk_bytes", patch.chunk_bytes}};
}

PatchSizes patch_sizes_of(const Json& json) {
  return {.grid_bytes = whole_member<uint64_t>(json, "grid_bytes"),
          .chunk_bytes = whole_member<uint64_t>(json, "chunk_bytes")};
}

LoadCost load_cost_of(const Json& json) {
  return {.bytes = whole_member<uint64_t>(json, "bytes"),
          .reads = whole_member<uint64_t>(json, "reads"),
          .seeks = whole_member<uint64_t>(json, "seeks"),
          .seconds = real_member(json, "seconds")};
}

Json to_json(const BuiltScenario& scenario) {
  return {{"name", scenario.name},
          {"runs", scenario.runs},
          {"today", json_or_null(scenario.today)},
          {"predicted", json_or_null(scenario.predicted)}};
}

BuiltScenario built_scenario_of(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .runs = whole_member<uint32_t>(json, "runs"),
          .today = value_or_none(json.at("today"), load_cost_of),
          .predicted = value_or_none(json.at("predicted"), to_predicted_load)};
}

Json to_json(const BuiltPack& pack) {
  return {{"file", pack.file},
          {"kind", pack.kind},
          {"fate", name_of(pack.fate)},
          {"reasons", pack.reasons},
          {"assets", pack.assets},
          {"file_bytes", pack.file_bytes},
          {"content_bytes", pack.content_bytes},
          {"duplicate_bytes", pack.duplicate_bytes},
          {"saved_bytes", pack.saved_bytes},
          {"table_bytes", pack.table_bytes},
          {"padding_bytes", pack.padding_bytes},
          {"dead_bytes", pack.dead_bytes},
          {"blocks", pack.blocks},
          {"id", pack.id},
          {"patch", json_or_null(pack.patch)}};
}

BuiltPack built_pack_of(const Json& json) {
  return {.file = json.at("file").get<std::string>(),
          .kind = json.at("kind").get<std::string>(),
          .fate = read_fate(json.at("fate")),
          .reasons = json.at("reasons").get<Texts>(),
          .assets = whole_member<uint64_t>(json, "assets"),
          .file_bytes = whole_member<uint64_t>(json, "file_bytes"),
          .content_bytes = whole_member<uint64_t>(json, "content_bytes"),
          .duplicate_bytes = whole_member<uint64_t>(json, "duplicate_bytes"),
          .saved_bytes = whole_member<uint64_t>(json, "saved_bytes"),
          .table_bytes = whole_member<uint64_t>(json, "table_bytes"),
          .padding_bytes = whole_member<uint64_t>(json, "padding_bytes"),
          .dead_bytes = whole_member<uint64_t>(json, "dead_bytes"),
          .blocks = whole_member<uint64_t>(json, "blocks"),
          .id = json.at("id").get<std::string>(),
          .patch = value_or_none(json.at("patch"), patch_sizes_of)};
}

Json to_json(const BuiltRelayout& relayout) {
  return {{"saved_s", relayout.saved_s},
          {"kept_s", relayout.kept_s},
          {"patch", to_json(relayout.patch)}};
}

// Reads the gain of a new layout. The saved seconds are negative if the new layout is slower.
BuiltRelayout relayout_of(const Json& json) {
  return {.saved_s = json.at("saved_s").get<double>(),
          .kept_s = real_member(json, "kept_s"),
          .patch = patch_sizes_of(json.at("patch"))};
}

Json to_json(const BuiltZips& zips) {
  Json json = {{"folder", zips.folder},
               {"fate", name_of(zips.fate)},
               {"reasons", zips.reasons},
               {"archives", Json::array()}};
  for (const BuiltArchive& archive : zips.archives)
    json["archives"].push_back({{"name", archive.name},
                                {"repacked", archive.is_repacked},
                                {"reason", or_null(archive.reason)},
                                {"bytes_before", archive.old_bytes},
                                {"bytes_after", archive.new_bytes},
                                {"entries", archive.entries},
                                {"read_entries", archive.read_entries}});
  return json;
}

BuiltZips zips_of(const Json& json) {
  BuiltZips zips = {.folder = json.at("folder").get<std::string>(),
                    .fate = read_fate(json.at("fate")),
                    .reasons = json.at("reasons").get<Texts>(),
                    .archives = {}};
  for (const Json& archive : json.at("archives"))
    zips.archives.push_back({.name = archive.at("name").get<std::string>(),
                             .is_repacked = archive.at("repacked").get<bool>(),
                             .reason = text_or_none(archive.at("reason")),
                             .old_bytes = whole_member<uint64_t>(archive, "bytes_before"),
                             .new_bytes = whole_member<uint64_t>(archive, "bytes_after"),
                             .entries = whole_member<uint64_t>(archive, "entries"),
                             .read_entries = whole_member<uint64_t>(archive, "read_entries")});
  return zips;
}

Json array_of(const auto& values) {
  Json json = Json::array();
  for (const auto& value : values) json.push_back(to_json(value));
  return json;
}

void take_inputs(const Json& json, BuildAnswer& build) {
  const Json& inputs = json.at("inputs");
  build.assets = whole_member<uint64_t>(inputs, "assets");
  build.content_bytes = whole_member<uint64_t>(inputs, "bytes");
  build.files = whole_member<uint64_t>(inputs, "files");
  build.traces = whole_member<uint64_t>(inputs, "traces");
  build.hashed_bytes = whole_member<uint64_t>(inputs, "hashed_bytes");
  const Json& changes = json.at("changes");
  build.is_first = changes.at("is_first").get<bool>();
  build.added = changes.at("added").get<Texts>();
  build.removed = changes.at("removed").get<Texts>();
  build.changed = changes.at("changed").get<Texts>();
}

// Throws an exception of the JSON library if the JSON isn't such an answer.
BuildAnswer build_answer_of(const Json& json) {
  BuildAnswer build;
  build.build_file = json.at("build_file").get<std::string>();
  build.is_changed = json.at("changed").get<bool>();
  build.is_checked_only = json.at("checked_only").get<bool>();
  build.seconds = real_member(json, "seconds");
  build.folder = text_or_none(json.at("folder"));
  build.layout = json.at("layout").get<std::string>();
  build.lock = text_or_none(json.at("lock"));
  take_inputs(json, build);
  build.reasons = json.at("reasons").get<Texts>();
  for (const Json& scenario : json.at("scenarios"))
    build.scenarios.push_back(built_scenario_of(scenario));
  for (const Json& pack : json.at("packs")) build.packs.push_back(built_pack_of(pack));
  build.removed_packs = json.at("removed_packs").get<Texts>();
  build.patch =
      value_or_none(json.at("patch"), [](const Json& patch) { return update_costs_of(patch); });
  build.is_relayout_due = json.at("relayout_due").get<bool>();
  build.new_recordings = whole_member<uint64_t>(json, "new_recordings");
  build.relayout = value_or_none(json.at("relayout"), relayout_of);
  build.prediction = value_or_none(json.at("prediction"), to_prediction);
  build.verdict = value_or_none(json.at("verdict"), verdict_of);
  build.zips = value_or_none(json.at("zips"), zips_of);
  build.gone = json.at("gone").get<Texts>();
  build.warnings = json.at("warnings").get<Texts>();
  return build;
}

}  // namespace

Json to_json(const BuildAnswer& build) {
  return {{"command", "build"},
          {"build_file", build.build_file},
          {"changed", build.is_changed},
          {"checked_only", build.is_checked_only},
          {"seconds", build.seconds},
          {"folder", or_null(build.folder)},
          {"layout", build.layout},
          {"lock", or_null(build.lock)},
          {"inputs",
           {{"assets", build.assets},
            {"bytes", build.content_bytes},
            {"files", build.files},
            {"traces", build.traces},
            {"hashed_bytes", build.hashed_bytes}}},
          {"changes",
           {{"is_first", build.is_first},
            {"added", build.added},
            {"removed", build.removed},
            {"changed", build.changed}}},
          {"reasons", build.reasons},
          {"scenarios", array_of(build.scenarios)},
          {"packs", array_of(build.packs)},
          {"removed_packs", build.removed_packs},
          {"bytes", build.bytes()},
          {"written_bytes", build.written_bytes()},
          {"padding_share", build.padding_share()},
          {"dead_share", build.dead_share()},
          {"patch", json_or_null(build.patch)},
          {"relayout_due", build.is_relayout_due},
          {"new_recordings", build.new_recordings},
          {"relayout", json_or_null(build.relayout)},
          {"prediction", json_or_null(build.prediction)},
          {"verdict", json_or_null(build.verdict)},
          {"zips", json_or_null(build.zips)},
          {"gone", build.gone},
          {"warnings", build.warnings}};
}

std::optional<BuildAnswer> read_build_answer(std::string_view text) {
  try {
    const Json json = parse_json<Json>(text);
    if (json.at("command") != "build") return std::nullopt;
    return build_answer_of(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace seekless

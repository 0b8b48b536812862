// Reads and writes layouts as JSON. A layout can have a million assets, so it is written line by
// line, and each asset becomes a record as soon as it is parsed; there is never a tree of all
// assets.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/layout/json_characters.h"
#include "packer/layout/layout.h"
#include "packer/layout/prediction_json.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kVersion = 1;
constexpr std::array<std::string_view, 3> kSourceKinds = {"file", "zip", "flat"};  // as numbered
constexpr int kItemDepth = 2;   // layout > sources, scenarios or packs > one of them
constexpr int kAssetDepth = 4;  // layout > packs > pack > assets > asset

std::string json_text(std::string_view text) {
  return Json(text).dump();
}

// `place` may be null.
std::string asset_line(const LaidAsset& asset, const PlaceInPack* place) {
  std::string line = fmt::format(R"({{"path":{},"bytes":{},"source":{})", json_text(asset.path),
                                 asset.size_bytes, asset.source);
  if (asset.entry != kWholeSource)
    line += fmt::format(R"(,"entry":{},"crc32":{})", asset.entry, asset.crc32);
  if (asset.alignment_bytes != kDefaultAlignmentBytes)
    line += fmt::format(R"(,"alignment":{})", asset.alignment_bytes);
  if (place != nullptr) line += fmt::format(R"(,"at":[{},{}])", place->block, place->offset_bytes);
  return line + fmt::format(R"(,"set":{}}})", asset.scenario_set);
}

std::string scenario_line(const LaidScenario& scenario) {
  Json json = {{"name", scenario.name}, {"runs", scenario.runs}};
  if (scenario.predicted) json["predicted"] = to_json(*scenario.predicted);
  return json.dump();
}

// Returns text that includes the comma; empty if nothing was predicted.
std::string prediction_text(const std::optional<Prediction>& prediction) {
  if (!prediction) return "";
  return fmt::format("  \"prediction\": {},\n", to_json(*prediction).dump());
}

// Writes an array with one element on each line.
template <typename Elements, typename ToLine>
Result<void> write_array(PendingFile& file, std::string_view indent, std::string_view key,
                         const Elements& elements, ToLine to_line) {
  std::string text = fmt::format("{}\"{}\": [", indent, key);
  std::string_view separator = "\n";
  for (const auto& element : elements) {
    text += fmt::format("{}{}  {}", separator, indent, to_line(element));
    separator = ",\n";
    if (text.size() < size_t{1} << 20) continue;
    SKL_TRY_DO(file.append(text));
    text.clear();
  }
  text += elements.empty() ? "]" : fmt::format("\n{}]", indent);
  return file.append(text);
}

Result<void> write_pack(PendingFile& file, const LaidPack& pack, bool first) {
  std::string head =
      fmt::format("{}\n    {{\n      \"name\": {},\n      \"kind\": {},\n", first ? "" : ",",
                  json_text(pack.name), json_text(to_string(pack.kind)));
  if (pack.places)
    head +=
        fmt::format("      \"data_offset\": {},\n      \"blocks\": [{}],\n",
                    pack.places->data_offset_bytes, fmt::join(pack.places->block_raw_bytes, ","));
  SKL_TRY_DO(file.append(head));
  size_t number = 0;
  const auto to_line = [&](const LaidAsset& asset) {
    const PlaceInPack* place = pack.places ? &pack.places->assets[number] : nullptr;
    ++number;
    return asset_line(asset, place);
  };
  SKL_TRY_DO(write_array(file, "      ", "assets", pack.assets, to_line));
  return file.append("\n    }");
}

Result<void> write_all(PendingFile& file, const Layout& layout) {
  const std::string head = fmt::format(
      "{{\n  \"seekless\": \"layout\",\n  \"version\": {},\n  \"block_bytes\": {},\n"
      "  \"fold_case\": {},\n  \"read_through_bytes\": {},\n",
      kVersion, layout.block_bytes, layout.fold_case, layout.read_through_bytes);
  SKL_TRY_DO(file.append(head + prediction_text(layout.prediction)));
  const auto source_line = [](const Source& source) {
    return fmt::format(R"({{"path":{},"kind":"{}","bytes":{}}})", json_text(source.path),
                       kSourceKinds[static_cast<size_t>(source.kind)], source.size_bytes);
  };
  const auto set_line = [](const std::vector<uint32_t>& set) { return Json(set).dump(); };
  SKL_TRY_DO(write_array(file, "  ", "sources", layout.sources, source_line));
  SKL_TRY_DO(file.append(",\n"));
  SKL_TRY_DO(write_array(file, "  ", "scenarios", layout.scenarios, scenario_line));
  SKL_TRY_DO(file.append(",\n"));
  SKL_TRY_DO(write_array(file, "  ", "scenario_sets", layout.scenario_sets, set_line));
  if (auto written = file.append(",\n  \"packs\": ["); !written) return written;
  for (size_t i = 0; i < layout.packs.size(); ++i)
    SKL_TRY_DO(write_pack(file, layout.packs[i], i == 0));
  return file.append(layout.packs.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::vector<uint32_t> to_set(const Json& json) {
  if (!json.is_array())
    throw Json::other_error::create(500, "a scenario set is not an array", nullptr);
  std::vector<uint32_t> set;
  for (const Json& scenario : json)
    set.push_back(whole_number<uint32_t>(scenario, "scenario_sets"));
  return set;
}

LaidScenario to_scenario(const Json& json) {
  LaidScenario scenario = {
      json.at("name").get<std::string>(), whole_member<uint32_t>(json, "runs"), {}};
  if (!json.contains("predicted")) return scenario;
  scenario.predicted = to_predicted_load(json.at("predicted"));
  return scenario;
}

const std::string& text_of(const Json& json, const char* key) {
  return json.at(key).get_ref<const std::string&>();
}

// A loose file's path is mostly the end of its source's path, and then needs no memory of its own.
PooledPath keep_path(const std::string& path, uint32_t source, Layout& layout) {
  if (source < layout.sources.size()) {
    const PooledPath whole = layout.sources[source].path;
    if (whole.ends_with(path)) return whole.without_front(whole.size() - path.size());
  }
  return layout.paths.add(path);
}

LaidAsset to_asset(const Json& json, Layout& layout) {
  LaidAsset asset;
  asset.size_bytes = whole_member<uint64_t>(json, "bytes");
  asset.source = whole_member<uint32_t>(json, "source");
  asset.path = keep_path(text_of(json, "path"), asset.source, layout);
  asset.scenario_set = whole_member<uint32_t>(json, "set");
  if (json.contains("entry")) {
    asset.entry = whole_member<uint32_t>(json, "entry");
    asset.crc32 = whole_member<uint32_t>(json, "crc32");
  }
  if (json.contains("alignment")) asset.alignment_bytes = whole_member<uint32_t>(json, "alignment");
  return asset;
}

Source to_source(const Json& json, PathPool& paths) {
  Source source;
  source.path = paths.add(text_of(json, "path"));
  source.size_bytes = whole_member<uint64_t>(json, "bytes");
  const std::string& kind = text_of(json, "kind");
  const auto known = std::ranges::find(kSourceKinds, kind);
  if (known == kSourceKinds.end())
    throw Json::other_error::create(500, fmt::format("'{}' isn't a kind of source", kind), nullptr);
  source.kind = static_cast<SourceKind>(known - kSourceKinds.begin());
  return source;
}

PlaceInPack to_place(const Json& json) {
  if (!json.is_array() || json.size() != 2)
    throw Json::other_error::create(500, "'at' isn't a pair of block and offset", nullptr);
  return {whole_number<uint32_t>(json[0], "at"), whole_number<uint32_t>(json[1], "at")};
}

PackKind to_kind(const std::string& name) {
  for (const PackKind kind : {PackKind::common, PackKind::sub, PackKind::cold})
    if (name == to_string(kind)) return kind;
  throw Json::other_error::create(500, fmt::format("'{}' isn't a kind of pack", name), nullptr);
}

// Turns assets, sources and scenarios into records while parsing, and keeps the rest as a tree. No
// long array of objects may stay in the tree: after each object that ends, the parser looks through
// all the values before it, so the time would grow with the square of their number.
class LayoutReader {
 public:
  bool keep(int depth, Json::parse_event_t event, Json& value) {
    check_json_depth<Json>(depth, event);
    if (event == Json::parse_event_t::key && depth == 1) section_ = value.get<std::string>();
    if (event != Json::parse_event_t::object_end) return true;
    if (section_ == "packs" && depth == kAssetDepth) {
      assets_.push_back(to_asset(value, layout_));
      if (value.contains("at")) places_.push_back(to_place(value.at("at")));
      return false;
    }
    if (depth != kItemDepth) return true;
    if (section_ == "sources") {
      layout_.sources.push_back(to_source(value, layout_.paths));
      return false;
    }
    if (section_ == "scenarios") {
      layout_.scenarios.push_back(to_scenario(value));
      return false;
    }
    if (section_ == "packs") {
      layout_.packs.push_back({value.at("name").get<std::string>(),
                               to_kind(value.at("kind").get<std::string>()),
                               std::exchange(assets_, {}), take_places(value)});
      return false;
    }
    return true;
  }

  Layout finish(const Json& rest) {
    layout_.block_bytes = whole_member<uint32_t>(rest, "block_bytes");
    layout_.fold_case = rest.at("fold_case").get<bool>();
    layout_.read_through_bytes = whole_member<uint64_t>(rest, "read_through_bytes");
    if (rest.contains("prediction")) layout_.prediction = to_prediction(rest.at("prediction"));
    for (const Json& no_object : rest.at("scenarios"))
      layout_.scenarios.push_back(to_scenario(no_object));  // throws what is wrong with it
    for (const Json& set : rest.at("scenario_sets")) layout_.scenario_sets.push_back(to_set(set));
    return std::move(layout_);
  }

 private:
  // The layout's check finds out whether every asset has a place.
  std::optional<LaidPlaces> take_places(const Json& pack) {
    if (places_.empty() && !pack.contains("data_offset")) return {};
    LaidPlaces places = {
        whole_member<uint64_t>(pack, "data_offset"), {}, std::exchange(places_, {})};
    for (const Json& raw_bytes : pack.at("blocks"))
      places.block_raw_bytes.push_back(whole_number<uint32_t>(raw_bytes, "blocks"));
    return places;
  }

  Layout layout_;
  std::string section_;
  std::vector<LaidAsset> assets_;
  std::vector<PlaceInPack> places_;  // places of the assets that have one
};

Result<void> check_version(const Json& rest, const std::string& path) {
  if (rest.value("seekless", "") != "layout")
    return damaged({.file = path,
                    .expected = "a layout made by 'seekless plan'",
                    .found = "another JSON file",
                    .advice = "name the one it wrote, or plan again"});
  const uint64_t version = rest.value("version", uint64_t{0});
  if (version == kVersion) return {};
  return damaged({.file = path,
                  .expected = fmt::format("layout version {}", kVersion),
                  .found = fmt::to_string(version),
                  .advice = "plan again with this version of seekless"});
}

}  // namespace

Json to_json(const PredictedLoad& load) {
  return {{"sweep_s", load.sweep_s},
          {"demand_s", load.demand_s},
          {"bound_s", load.bound_s},
          {"needed_bytes", load.needed_bytes},
          {"held_out", load.is_held_out},
          {"unseen_assets", load.unseen_assets},
          {"in_memory_bytes", load.in_memory_bytes}};
}

Json to_json(const Prediction& prediction) {
  Json json = {{"drive", prediction.drive},
               {"copied_bytes", prediction.copied_bytes},
               {"seconds", prediction.seconds},
               {"reasons", prediction.reasons},
               {"curve", Json::array()}};
  for (const CopyPrice& point : prediction.curve)
    json["curve"].push_back({{"budget_ratio", point.size_ratio},
                             {"copied_bytes", point.copied_bytes},
                             {"seconds", point.seconds}});
  return json;
}

PredictedLoad to_predicted_load(const Json& json) {
  return {.sweep_s = real_member(json, "sweep_s"),
          .demand_s = real_member(json, "demand_s"),
          .bound_s = real_member(json, "bound_s"),
          .needed_bytes = whole_member<uint64_t>(json, "needed_bytes"),
          .is_held_out = json.at("held_out").get<bool>(),
          .unseen_assets = real_member(json, "unseen_assets"),
          .in_memory_bytes = whole_member<uint64_t>(json, "in_memory_bytes")};
}

Prediction to_prediction(const Json& json) {
  Prediction prediction = {.drive = json.at("drive").get<std::string>(),
                           .copied_bytes = whole_member<uint64_t>(json, "copied_bytes"),
                           .seconds = real_member(json, "seconds"),
                           .curve = {},
                           .reasons = json.at("reasons").get<std::string>()};
  for (const Json& point : json.at("curve"))
    prediction.curve.push_back({real_member(point, "budget_ratio"),
                                whole_member<uint64_t>(point, "copied_bytes"),
                                real_member(point, "seconds")});
  return prediction;
}

Result<void> write_layout(const Layout& layout, const std::string& path) {
  SKL_TRY_DO(check_layout(layout, path));
  SKL_TRY(auto file, PendingFile::create(path));
  SKL_TRY_DO(write_all(file, layout));
  return file.commit();
}

Result<Layout> read_layout(const std::string& path) {
  SKL_TRY(const auto stream, path == "-" ? open_piped_stream(path) : open_stream(path));
  JsonCharacters characters(*stream);
  LayoutReader reader;
  try {
    const Json rest = Json::parse(JsonCharacters::CharacterIterator{&characters},
                                  JsonCharacters::CharacterIterator{},
                                  [&](int depth, Json::parse_event_t event, Json& value) {
                                    return reader.keep(depth, event, value);
                                  });
    SKL_TRY_DO(check_version(rest, path));
    Layout layout = reader.finish(rest);
    SKL_TRY_DO(check_layout(layout, path));
    return layout;
  } catch (const Json::exception& error) {
    if (!characters.status()) return std::unexpected(characters.status().error());
    return damaged({.file = path,
                    .expected = "a layout as in schemas/layout.schema.json",
                    .found = short_message(error),
                    .advice = "plan again"});
  }
}

}  // namespace seekless

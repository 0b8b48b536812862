#include "packer/answer/internal/update_costs.h"

#include <algorithm>

#include "packer/base/json_value.h"
#include "packer/update/clients_json.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

// Returns the change with the real sizes of the files that were written: compressed packs are
// shorter than expected.
SetChange as_written(const BuildOutcome& outcome) {
  SetChange change = outcome.patch->change;
  for (ChangedFile& file : change.changed)
    for (const PackOutcome& pack : outcome.packs)
      if (pack.written.file_name == file.name && pack.written.file_bytes > 0)
        file.new_bytes = pack.written.file_bytes;
  // Players download a whole pack if it was meant to stay but was missing.
  const std::vector<PackForecast>& forecasts = outcome.patch->packs;
  for (size_t i = 0; i < std::min(outcome.packs.size(), forecasts.size()); ++i) {
    const WrittenPack& written = outcome.packs[i].written;
    const uint64_t bytes = written.file_bytes;
    // Players download a whole pack if it was meant to stay but was written again under another id.
    if (outcome.packs[i].is_written && bytes > 0 && forecasts[i].stays_as &&
        forecasts[i].stays_as != written.pack_id)
      change.changed.push_back({written.file_name, bytes, bytes, {bytes, bytes, bytes, bytes}});
  }
  return change;
}

std::optional<ForeseenEdits> foreseen_of(const JudgedChances& judged) {
  if (judged.assets == 0) return std::nullopt;
  const auto by_asset = [&](uint64_t loss) {
    return static_cast<double>(loss) / 1000 / static_cast<double>(judged.assets);
  };
  return ForeseenEdits{.assets = judged.assets,
                       .log_loss = by_asset(judged.loss),
                       .constant_log_loss = by_asset(judged.constant_loss)};
}

Json to_json(const ForeseenEdits& foreseen) {
  return {{"assets", foreseen.assets},
          {"log_loss", foreseen.log_loss},
          {"constant_log_loss", foreseen.constant_log_loss}};
}

ForeseenEdits foreseen_of(const Json& json) {
  return {.assets = whole_member<uint64_t>(json, "assets"),
          .log_loss = real_member(json, "log_loss"),
          .constant_log_loss = real_member(json, "constant_log_loss")};
}

PricedUpdate price_of(const Json& json) {
  return {.prices = {.max_dead = real_member(json, "max_dead"),
                     .rewrite_price = real_member(json, "rewrite_price")},
          .is_chosen = json.at("chosen").get<bool>(),
          .chunk_bytes = whole_member<uint64_t>(json, "chunk_bytes"),
          .written_bytes = whole_member<uint64_t>(json, "written_bytes"),
          .packs_bytes = whole_member<uint64_t>(json, "packs_bytes"),
          .sweep_s = real_member(json, "sweep_s")};
}

}  // namespace

std::optional<UpdateCosts> update_costs_of(const BuildOutcome& outcome, const DriveProfile& drive) {
  if (!outcome.patch) return std::nullopt;
  const PatchBytes total = outcome.patch->total();
  return UpdateCosts{.edited_bytes = outcome.patch->edited_bytes,
                     .grid_bytes = total.grid_bytes,
                     .chunk_bytes = total.chunk_bytes,
                     .drive = drive.name,
                     .clients = client_costs(as_written(outcome), drive),
                     .assets = outcome.patch->assets,
                     .prices = outcome.priced,
                     .foreseen = foreseen_of(outcome.changes.judged)};
}

Json to_json(const UpdateCosts& costs) {
  Json json = {{"grid_bytes", costs.grid_bytes},
               {"chunk_bytes", costs.chunk_bytes},
               {"edited_bytes", costs.edited_bytes},
               {"clients", to_json(costs.clients, costs.drive)},
               {"assets", Json::array()},
               {"prices", Json::array()}};
  for (const CostlyAsset& asset : costs.assets)
    json["assets"].push_back({{"path", asset.path},
                              {"bytes", asset.size_bytes},
                              {"written_bytes", asset.written_bytes}});
  for (const PricedUpdate& update : costs.prices)
    json["prices"].push_back({{"max_dead", update.prices.max_dead},
                              {"rewrite_price", update.prices.rewrite_price},
                              {"chosen", update.is_chosen},
                              {"chunk_bytes", update.chunk_bytes},
                              {"written_bytes", update.written_bytes},
                              {"packs_bytes", update.packs_bytes},
                              {"sweep_s", update.sweep_s}});
  json["foreseen"] = costs.foreseen ? to_json(*costs.foreseen) : Json();
  return json;
}

UpdateCosts update_costs_of(const Json& json) {
  const Json& clients = json.at("clients");
  UpdateCosts costs = {.edited_bytes = whole_member<uint64_t>(json, "edited_bytes"),
                       .grid_bytes = whole_member<uint64_t>(json, "grid_bytes"),
                       .chunk_bytes = whole_member<uint64_t>(json, "chunk_bytes"),
                       .drive = clients.at("drive").get<std::string>(),
                       .clients = client_costs_of(clients)};
  for (const Json& asset : json.at("assets"))
    costs.assets.push_back({.path = asset.at("path").get<std::string>(),
                            .size_bytes = whole_member<uint64_t>(asset, "bytes"),
                            .written_bytes = whole_member<uint64_t>(asset, "written_bytes")});
  for (const Json& price : json.at("prices")) costs.prices.push_back(price_of(price));
  if (const Json& foreseen = json.at("foreseen"); !foreseen.is_null())
    costs.foreseen = foreseen_of(foreseen);
  return costs;
}

}  // namespace seekless

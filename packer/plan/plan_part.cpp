#include "packer/plan/plan_part.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/hasher.h"
#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kVersion = 1;
constexpr uint64_t kMostBytes = uint64_t{2} << 30;
constexpr const char* kAdvice = "make this part again with 'seekless plan --shard'";

std::string hash_of(std::string_view text) {
  Hasher128 hasher;
  add_text(hasher, text);
  return to_hex(hasher.digest());
}

template <typename T>
void add_optional(Hasher128& hasher, const std::optional<T>& value) {
  add_value(hasher, value.has_value());
  add_value(hasher, value.value_or(T{}));
}

// Numbers recordings by their first use, because the order in which they were given must not
// matter.
void add_profile(Hasher128& hasher, const Profile& profile) {
  std::map<uint32_t, uint64_t> recordings;
  add_value(hasher, uint64_t{profile.assets.size()});
  for (const std::string& path : profile.assets) add_sized_text(hasher, path);
  for (const ProfiledScenario& scenario : profile.scenarios) {
    add_sized_text(hasher, scenario.name);
    add_value(hasher, uint64_t{scenario.runs.size()});
    for (const ProfiledRun& run : scenario.runs) {
      const uint64_t next = recordings.size();
      add_value(hasher, recordings.try_emplace(run.id.trace, next).first->second);
      add_value(hasher, uint64_t{run.assets.size()});
      for (const uint32_t asset : run.assets) add_value(hasher, asset);
    }
  }
}

void add_rules(Hasher128& hasher, const std::vector<PlanRule>& rules) {
  for (const PlanRule& rule : rules) {
    add_sized_text(hasher, rule.glob);
    add_sized_text(hasher, rule.pack.value_or(""));
    add_optional(hasher, rule.order);
    add_optional(hasher, rule.alignment_bytes);
    add_optional(hasher, rule.copies);
    add_optional(hasher, rule.excluded);
  }
}

void add_options(Hasher128& hasher, const PlanOptions& options) {
  add_value(hasher, options.block_bytes);
  add_value(hasher, options.fold_case);
  add_sized_text(hasher, to_json(options.drive));
  add_optional(hasher, options.budget_ratio);
  add_value(hasher, options.gain_s_per_gb);
  add_value(hasher, options.drop_outliers);
  for (const auto& [name, weight] : options.weights) {
    add_sized_text(hasher, name);
    add_value(hasher, weight);
  }
  for (const Session& session : options.sessions) {
    add_value(hasher, uint64_t{session.size()});
    for (const std::string& name : session) add_sized_text(hasher, name);
  }
  add_rules(hasher, options.rules);
  for (const double rewritten : options.rewritten_by_copy) add_value(hasher, rewritten);
  for (const uint32_t asset : options.same_as) add_value(hasher, asset);
  for (const auto* maps : {&options.unrecorded.maps, &options.unrecorded.left_out})
    for (const MentionedAssets& map : *maps) {
      add_sized_text(hasher, map.scenario);
      add_value(hasher, uint64_t{map.assets.size()});
      for (const uint32_t asset : map.assets) add_value(hasher, asset);
    }
}

Json to_json(const PlanWork& work) {
  Json orders = Json::array();
  for (const auto& [group, order] : work.orders)
    orders.push_back({{"group", group}, {"order", order}});
  Json folds = Json::array();
  for (const auto& [fold, loads] : work.held_out) {
    Json of_fold = Json::array();
    for (const LoadForecast& load : loads)
      of_fold.push_back({load.sweep_s, load.demand_s, load.unseen_assets});
    folds.push_back({{"fold", fold}, {"loads", std::move(of_fold)}});
  }
  return {{"orders", std::move(orders)}, {"held_out", std::move(folds)}};
}

PlanWork to_work(const Json& json) {
  PlanWork work;
  for (const Json& of : json.at("orders")) {
    auto& order = work.orders[whole_number<uint32_t>(of.at("group"), "group")];
    for (const Json& index : of.at("order"))
      order.push_back(whole_number<uint32_t>(index, "order"));
  }
  for (const Json& of : json.at("held_out")) {
    auto& loads = work.held_out[whole_number<uint32_t>(of.at("fold"), "fold")];
    for (const Json& load : of.at("loads"))
      loads.push_back(
          {load.at(0).get<double>(), load.at(1).get<double>(), load.at(2).get<double>()});
  }
  return work;
}

std::unexpected<Error> wrong(const std::string& path, const std::string& expected,
                             const std::string& found) {
  return damaged({.file = path, .expected = expected, .found = found, .advice = kAdvice});
}

Result<PlanPart> to_part(const Json& json, const std::string& path) {
  if (json.value("seekless", "") != "plan part")
    return wrong(path, "a part of a plan", "another JSON file");
  if (const auto version = json.value("version", uint64_t{0}); version != kVersion)
    return wrong(path, fmt::format("version {} of parts", kVersion), fmt::to_string(version));
  PlanPart part = {.inputs = json.at("inputs").get<std::string>(),
                   .number = whole_number<uint32_t>(json.at("part"), "part"),
                   .count = whole_number<uint32_t>(json.at("parts"), "parts"),
                   .work = {}};
  if (part.number < 1 || part.number > part.count || part.count > kMostPlanParts)
    return wrong(path, "a part's number and the count of parts",
                 fmt::format("{} of {}", part.number, part.count));
  const Json& work = json.at("work");
  if (json.at("checksum").get<std::string>() != hash_of(work.dump()))
    return wrong(path, "work with its checksum", "another one");
  part.work = to_work(work);
  return part;
}

Result<PlanPart> read_plan_part(const std::string& path) {
  const auto text = read_text(path, kMostBytes);
  if (!text) return std::unexpected(text.error());
  try {
    return to_part(parse_json<Json>(*text), path);
  } catch (const Json::exception& error) {
    return wrong(path, "a part of a plan", short_message(error));
  }
}

// Returns the numbers of the first few missing parts.
std::string missing_in(const std::map<uint32_t, std::string>& files, uint32_t count) {
  constexpr uint32_t kNamed = 5;
  std::string missing;
  uint32_t named = 0;
  for (uint32_t number = 1; number <= count && named < kNamed; ++number)
    if (!files.contains(number)) missing += fmt::format("{}{}", named++ == 0 ? "" : ", ", number);
  return missing;
}

}  // namespace

std::string hash_of_inputs(const Profile& profile, const Content& content,
                           const PlanOptions& options, const std::string& version) {
  Hasher128 hasher;
  add_sized_text(hasher, version);
  add_profile(hasher, profile);
  add_value(hasher, uint64_t{content.assets.size()});
  for (const Asset& asset : content.assets) {
    add_sized_text(hasher, asset.path);
    add_value(hasher, asset.place.size_bytes);
  }
  add_options(hasher, options);
  return to_hex(hasher.digest());
}

Result<void> write_plan_part(const PlanPart& part, const std::string& path) {
  Json work = to_json(part.work);
  std::string checksum = hash_of(work.dump());
  const Json json = {{"seekless", "plan part"}, {"version", kVersion},
                     {"inputs", part.inputs},   {"part", part.number},
                     {"parts", part.count},     {"checksum", std::move(checksum)},
                     {"work", std::move(work)}};
  return write_text(path, json.dump() + "\n");
}

Result<PlanWork> read_plan_parts(std::span<const std::string> paths, const std::string& inputs) {
  PlanWork all;
  std::map<uint32_t, std::string> files;  // indexed by part number
  uint32_t count = 0;
  for (const std::string& path : paths) {
    auto part = read_plan_part(path);
    if (!part) return std::unexpected(part.error());
    if (part->inputs != inputs)
      return wrong(path, "a part of this plan",
                   "one of other recordings, content, options or version of seekless");
    if (count != 0 && part->count != count)
      return wrong(path, fmt::format("one of {} parts, as {}", count, files.begin()->second),
                   fmt::format("one of {}", part->count));
    count = part->count;
    const auto [known, is_new] = files.emplace(part->number, path);
    if (!is_new)
      return wrong_usage({.file = path,
                          .expected = "each part once",
                          .found = fmt::format("part {}, as in {}", part->number, known->second),
                          .advice = "leave one of them out"});
    all.orders.merge(part->work.orders);
    all.held_out.merge(part->work.held_out);
  }
  if (files.size() < count)
    return wrong_usage(
        {.file = "--merge",
         .expected = counted(count, "part"),
         .found = fmt::format("{}, without part {}", files.size(), missing_in(files, count)),
         .advice = "give the parts that are missing, too"});
  return all;
}

}  // namespace seekless

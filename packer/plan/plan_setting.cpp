#include "packer/plan/plan_setting.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <iterator>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/pack_format.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

// No budget, gain or weight needs to be larger, and sums of such numbers stay exact enough.
constexpr double kMostNumber = 1e9;

const auto kTable = std::to_array<PlanSetting>({
    {.key = "drives",
     .option = "",
     .takes = "NAME|FILE.json",
     .help = "Target drives: built-in profiles, or files as in drive.schema.json. The plan is made "
             "for the first one",
     .goes_to = &PlanSettings::drives},
    {.key = "budget",
     .option = "--budget",
     .takes = "RATIO",
     .help = "Maximum size of all packs together, as a multiple of the content's size; 1 allows no "
             "copies",
     .least = 1,
     .most = kMostNumber,
     .goes_to = &PlanOptions::budget_ratio},
    {.key = "gain",
     .option = "--gain",
     .takes = "SECONDS_PER_GB",
     .help = "Seconds that each GB of copies must save, as the weighted sum over all scenarios",
     .least = 0,
     .most = kMostNumber,
     .goes_to = &PlanOptions::gain_s_per_gb},
    {.key = "weights",
     .option = "--weight",
     .takes = "SCENARIO=WEIGHT",
     .help = "How much a scenario's seconds count, instead of 1. With 0, the scenario is packed, "
             "but no asset is moved or copied for it",
     .least = 0,
     .most = kMostNumber,
     .goes_to = &PlanOptions::weights},
    {.key = "sessions",
     .option = "--session",
     .takes = "A,B,C",
     .help = "Scenarios in the order in which they are played. Each sweep leaves out what earlier "
             "scenarios have read. Assets are swept again only if a trace of both scenarios shows "
             "that the game reads them again",
     .goes_to = &PlanOptions::sessions},
    {.key = "drop_outliers",
     .option = "--drop-outliers",
     .takes = "",
     .help = "Leave out runs that differ from most runs of their scenario",
     .goes_to = &PlanOptions::drop_outliers},
    {.key = "fold_case",
     .option = "",
     .takes = "",
     .help = "Treat paths as the same if they differ only in the case of A-Z",
     .goes_to = &PlanOptions::fold_case},
    {.key = "block",
     .option = "--block",
     .takes = "SIZE",
     .help = "Size of a block, the smallest piece that is read",
     .least = format::kMinBlockBytes,
     .most = format::kMaxBlockBytes,
     .goes_to = &PlanOptions::block_bytes},
    {.key = "align",
     .option = "--align",
     .takes = "GLOB=BYTES",
     .help = "Alignment in bytes of assets whose paths match",
     .least = 1,
     .most = kMaxAlignmentBytes,
     .goes_to = AlignmentRules()},
    {.key = "rules",
     .option = "",
     .takes = "",
     .help = "What to do with assets whose paths match; if rules disagree, the last one wins",
     .goes_to = &PlanOptions::rules},
});

template <typename Member>
constexpr bool kIsPowerOfTwo =
    std::is_same_v<Member, uint32_t PlanOptions::*> || std::is_same_v<Member, AlignmentRules>;

bool is_power_of_two(const PlanSetting& setting) {
  return std::visit([](auto member) { return kIsPowerOfTwo<decltype(member)>; }, setting.goes_to);
}

Json powers_of_two(const PlanSetting& setting) {
  Json powers = Json::array();
  for (uint64_t power = static_cast<uint64_t>(setting.least); power <= setting.most; power *= 2)
    powers.push_back(power);
  return powers;
}

// Leaves out ".0" if the number is whole.
Json number_json(double number) {
  const auto whole = static_cast<int64_t>(number);
  return static_cast<double>(whole) == number ? Json(whole) : Json(number);
}

Json number_schema(const PlanSetting& setting) {
  return {{"type", "number"},
          {"minimum", number_json(setting.least)},
          {"maximum", number_json(setting.most)}};
}

// Each overload adds the type, range and default of a member to the schema.
void add_values(const PlanSetting&, bool PlanOptions::*member, Json& schema) {
  schema.update({{"type", "boolean"}, {"default", PlanOptions().*member}});
}
void add_values(const PlanSetting& setting, double PlanOptions::*member, Json& schema) {
  schema.update(number_schema(setting));
  schema["default"] = number_json(PlanOptions().*member);
}
void add_values(const PlanSetting& setting, std::optional<double> PlanOptions::*member,
                Json& schema) {
  schema.update(number_schema(setting));
  schema["default"] = number_json((PlanOptions().*member).value());
}
void add_values(const PlanSetting& setting, uint32_t PlanOptions::*member, Json& schema) {
  schema.update({{"enum", powers_of_two(setting)}, {"default", PlanOptions().*member}});
}
void add_values(const PlanSetting& setting, std::map<std::string, double> PlanOptions::*,
                Json& schema) {
  schema.update({{"type", "object"}, {"additionalProperties", number_schema(setting)}});
}
void add_values(const PlanSetting&, std::vector<Session> PlanOptions::*, Json& schema) {
  const Json name = {{"type", "string"}, {"minLength", 1}};
  schema.update(
      {{"type", "array"},
       {"items", {{"type", "array"}, {"items", name}, {"minItems", 2}, {"uniqueItems", true}}}});
}
void add_values(const PlanSetting&, std::vector<PlanRule> PlanOptions::*, Json& schema) {
  schema["type"] = "array";
}
void add_values(const PlanSetting& setting, AlignmentRules, Json& schema) {
  schema.update({{"type", "object"}, {"additionalProperties", {{"enum", powers_of_two(setting)}}}});
}
void add_values(const PlanSetting&, std::vector<std::string> PlanSettings::*, Json& schema) {
  schema.update({{"type", "array"}, {"items", {{"$ref", "#/$defs/path"}}}});
}

template <typename Value>
void merge(Value& value, const Value& first) {
  value = first;
}
void merge(std::map<std::string, double>& weights, const std::map<std::string, double>& first) {
  for (const auto& [scenario, weight] : first) weights[scenario] = weight;
}

}  // namespace

std::span<const PlanSetting> plan_setting_table() {
  return kTable;
}

const PlanSetting& plan_setting(std::string_view key) {
  const auto found = std::ranges::find(kTable, key, &PlanSetting::key);
  assert(found != kTable.end());
  return *found;
}

std::string help_of(const PlanSetting& setting) {
  return std::string(setting.help) + (is_power_of_two(setting) ? ", " + range_of(setting) : "");
}

std::string range_of(const PlanSetting& setting) {
  if (is_power_of_two(setting))
    return fmt::format("a power of two from {} to {}", setting.least, setting.most);
  if (setting.most == kMostNumber) return fmt::format("{} or more", setting.least);
  return setting.most > 0 ? fmt::format("{} to {}", setting.least, setting.most) : "";
}

std::string usual_of(const PlanSetting& setting) {
  if (std::holds_alternative<AlignmentRules>(setting.goes_to))
    return fmt::to_string(kDefaultAlignmentBytes);
  const Json schema = schema_of(setting);
  return schema.contains("default") && schema["default"].is_number() ? schema["default"].dump()
                                                                     : "";
}

Json schema_of(const PlanSetting& setting) {
  Json schema = {{"description", help_of(setting)}};
  std::visit([&](auto member) { add_values(setting, member, schema); }, setting.goes_to);
  return schema;
}

Result<void> check_number(const PlanSetting& setting, double number, const std::string& file,
                          const std::string& place) {
  const bool is_in_range = number >= setting.least && number <= setting.most;
  const bool is_fit = is_in_range && (!is_power_of_two(setting) ||
                                      std::has_single_bit(static_cast<uint64_t>(number)));
  if (is_fit) return {};
  return wrong_usage(
      {.file = file,
       .place = place,
       .expected = (is_power_of_two(setting) ? "" : "a number, ") + range_of(setting),
       .found = fmt::format("{:.17g}", number)});
}

PlanSettings with(PlanSettings settings, const PlanSettings& first) {
  for (const std::string_view key : first.given) {
    settings.given.insert(key);
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), std::vector<std::string> PlanSettings::*>)
            settings.*member = first.*member;
          else if constexpr (!std::is_same_v<decltype(member), AlignmentRules> &&
                             !std::is_same_v<decltype(member),
                                             std::vector<PlanRule> PlanOptions::*>)
            merge(settings.options.*member, first.options.*member);
        },
        plan_setting(key).goes_to);
  }
  std::ranges::copy(first.options.rules, std::back_inserter(settings.options.rules));
  return settings;
}

}  // namespace seekless

// Writes and reads the judgement as JSON for machines, as in schemas/verdict.schema.json.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "packer/base/json_value.h"
#include "packer/verdict/verdict.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<Judgement, std::string_view> kJudgements[] = {
    {Judgement::worth_it, "worth it"},
    {Judgement::not_worth_it, "not worth it"},
    {Judgement::unknown, "unknown"}};

constexpr std::pair<VerdictReason, std::string_view> kReasons[] = {
    {VerdictReason::saves, "saves"},
    {VerdictReason::solid_state, "solid state"},
    {VerdictReason::too_little, "too little"},
    {VerdictReason::slower, "slower"},
    {VerdictReason::other_work, "other work"},
    {VerdictReason::recording, "recording"},
    {VerdictReason::names_only, "names only"},
    {VerdictReason::no_reads, "no reads"},
    {VerdictReason::no_recordings, "no recordings"},
    {VerdictReason::no_content, "no content"},
    {VerdictReason::other_content, "other content"},
    {VerdictReason::no_room, "no room"}};

constexpr std::pair<Way, std::string_view> kWays[] = {
    {Way::order, "order"}, {Way::packs, "packs"}, {Way::zips, "zips"}};

constexpr std::pair<DriveChoice, std::string_view> kChoices[] = {
    {DriveChoice::asked_for, "asked for"},
    {DriveChoice::target, "target"},
    {DriveChoice::content, "content"},
    {DriveChoice::assumed, "assumed"}};

template <typename Enum, size_t kSize>
std::string_view name_in(const std::pair<Enum, std::string_view> (&names)[kSize], Enum value) {
  return std::ranges::find(names, value, &std::pair<Enum, std::string_view>::first)->second;
}

template <typename Enum, size_t kSize>
Enum value_in(const std::pair<Enum, std::string_view> (&names)[kSize], const Json& name) {
  const auto found =
      std::ranges::find(names, name.get<std::string>(), &std::pair<Enum, std::string_view>::second);
  if (found == std::end(names))
    throw Json::other_error::create(500, "'" + name.get<std::string>() + "' is unknown", nullptr);
  return found->first;
}

Json or_null(const std::optional<double>& seconds) {
  return seconds ? Json(*seconds) : Json();
}

// Holds the figures that single loads and their sum share.
struct AsShipped {
  double as_shipped_s = 0;
  double bound_s = 0;
  double saved_at_best_s = 0;
  double saved_s = 0;
  std::optional<double> after_s;
  std::optional<double> besides_s;
};

void add_seconds(Json& json, const AsShipped& of) {
  json["as_shipped_seconds"] = duration_or_zero(of.as_shipped_s);
  json["bound_seconds"] = duration_or_zero(of.bound_s);
  json["saved_at_best_seconds"] = duration_or_zero(of.saved_at_best_s);
  json["besides_seconds"] = or_null(of.besides_s);
  json["after_seconds"] = or_null(of.after_s);
  json["saved_seconds"] = of.after_s ? Json(of.saved_s) : Json();
}

AsShipped figures_of(const LoadVerdict& of) {
  return {of.load.as_shipped_s, of.load.bound_s, of.saved_at_best_s(),
          of.saved_s(),         of.load.after_s, of.load.besides_s};
}

void add_to(std::optional<double>& sum, const std::optional<double>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

std::optional<double> number_or_none(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

LoadVerdict load_of(const Json& json) {
  return {.load = {.name = json.at("name").get<std::string>(),
                   .runs = whole_number<uint32_t>(json.at("runs"), "runs"),
                   .as_shipped_s = json.at("as_shipped_seconds").get<double>(),
                   .bound_s = json.at("bound_seconds").get<double>(),
                   .after_s = number_or_none(json.at("after_seconds")),
                   .besides_s = number_or_none(json.at("besides_seconds"))},
          .judgement = value_in(kJudgements, json.at("judgement")),
          .reason = value_in(kReasons, json.at("reason"))};
}

// Adds up one load of each scenario. A sum is unknown if one of its parts is.
AsShipped sum_of(const std::vector<LoadVerdict>& loads) {
  AsShipped sum;
  if (!loads.empty()) sum.after_s = sum.besides_s = 0;
  for (const LoadVerdict& of : loads) {
    const AsShipped more = figures_of(of);
    sum.as_shipped_s += more.as_shipped_s;
    sum.bound_s += more.bound_s;
    sum.saved_at_best_s += more.saved_at_best_s;
    sum.saved_s += more.saved_s;
    add_to(sum.after_s, more.after_s);
    add_to(sum.besides_s, more.besides_s);
  }
  return sum;
}

}  // namespace

Json to_json(const JudgedDrive& drive) {
  return {{"name", valid_utf8(drive.name)},
          {"solid_state", drive.is_solid_state},
          {"choice", name_in(kChoices, drive.choice)},
          {"found", drive.found.empty() ? Json() : Json(valid_utf8(drive.found))}};
}

Json to_json(const Verdict& verdict) {
  Json json = {{"judgement", name_in(kJudgements, verdict.judgement)},
               {"reason", name_in(kReasons, verdict.reason)},
               {"text", valid_utf8(verdict.text)},
               {"way", name_in(kWays, verdict.way)},
               {"drive", to_json(verdict.drive)}};
  json["fitting_share"] = verdict.fitting_share;
  add_seconds(json, sum_of(verdict.loads));
  json["scenarios"] = Json::array();
  for (const LoadVerdict& of : verdict.loads) {
    Json load = {{"name", valid_utf8(of.load.name)},
                 {"runs", of.load.runs},
                 {"judgement", name_in(kJudgements, of.judgement)},
                 {"reason", name_in(kReasons, of.reason)}};
    add_seconds(load, figures_of(of));
    json["scenarios"].push_back(std::move(load));
  }
  return json;
}

Verdict verdict_of(const Json& json) {
  const Json& drive = json.at("drive");
  const Json& found = drive.at("found");
  Verdict verdict = {.judgement = value_in(kJudgements, json.at("judgement")),
                     .reason = value_in(kReasons, json.at("reason")),
                     .way = value_in(kWays, json.at("way")),
                     .drive = {.name = drive.at("name").get<std::string>(),
                               .is_solid_state = drive.at("solid_state").get<bool>(),
                               .choice = value_in(kChoices, drive.at("choice")),
                               .found = found.is_null() ? "" : found.get<std::string>()},
                     .loads = {},
                     .fitting_share = json.at("fitting_share").get<double>(),
                     .text = json.at("text").get<std::string>()};
  for (const Json& load : json.at("scenarios")) verdict.loads.push_back(load_of(load));
  return verdict;
}

}  // namespace seekless

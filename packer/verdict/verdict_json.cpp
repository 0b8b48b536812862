// The judgement for machines, as in schemas/verdict.schema.json.
#include <string_view>

#include "packer/verdict/verdict.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

std::string_view to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::worth_it:
      return "worth it";
    case Judgement::not_worth_it:
      return "not worth it";
    default:
      return "unknown";
  }
}

std::string_view to_string(VerdictReason reason) {
  switch (reason) {
    case VerdictReason::saves:
      return "saves";
    case VerdictReason::solid_state:
      return "solid state";
    case VerdictReason::too_little:
      return "too little";
    case VerdictReason::slower:
      return "slower";
    case VerdictReason::other_work:
      return "other work";
    case VerdictReason::recording:
      return "recording";
    case VerdictReason::names_only:
      return "names only";
    case VerdictReason::no_recordings:
      return "no recordings";
    case VerdictReason::no_content:
      return "no content";
    case VerdictReason::no_room:
      return "no room";
    case VerdictReason::other_content:
      return "other content";
    default:
      return "no reads";
  }
}

std::string_view to_string(Way way) {
  switch (way) {
    case Way::packs:
      return "packs";
    case Way::zips:
      return "zips";
    default:
      return "order";
  }
}

std::string_view to_string(DriveChoice choice) {
  switch (choice) {
    case DriveChoice::asked_for:
      return "asked for";
    case DriveChoice::target:
      return "target";
    case DriveChoice::content:
      return "content";
    default:
      return "assumed";
  }
}

Json or_null(const std::optional<double>& seconds) {
  return seconds ? Json(*seconds) : Json();
}

// What the loads as they are and their sum share: the same for every way.
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

// Of one load each; null where it isn't known of all.
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

Json to_json(const Verdict& verdict) {
  Json json = {
      {"judgement", to_string(verdict.judgement)},
      {"reason", to_string(verdict.reason)},
      {"text", valid_utf8(to_text(verdict))},
      {"way", to_string(verdict.way)},
      {"drive",
       {{"name", valid_utf8(verdict.drive.name)},
        {"solid_state", verdict.drive.is_solid_state},
        {"choice", to_string(verdict.drive.choice)},
        {"found", verdict.drive.found.empty() ? Json() : Json(valid_utf8(verdict.drive.found))}}}};
  json["fitting_share"] = verdict.fit.share();
  add_seconds(json, sum_of(verdict.loads));
  json["scenarios"] = Json::array();
  for (const LoadVerdict& of : verdict.loads) {
    Json load = {{"name", valid_utf8(of.load.name)},
                 {"runs", of.load.runs},
                 {"judgement", to_string(of.judgement)},
                 {"reason", to_string(of.reason)}};
    add_seconds(load, figures_of(of));
    json["scenarios"].push_back(std::move(load));
  }
  return json;
}

}  // namespace seekless

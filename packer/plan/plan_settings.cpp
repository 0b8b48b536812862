#include "packer/plan/plan_settings.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/base/json_fields.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kRuleKeys = {"match", "pack",   "order",
                                                       "align", "copies", "exclude"};
constexpr const char* kExpectedJson = "JSON as in schemas/build.schema.json";

class SettingsParser {
 public:
  explicit SettingsParser(const std::string& file) : file_(file), fields_(file) {}

  Result<PlanSettings> parse(const Json& json) {
    std::vector<std::string_view> keys(kOtherBuildFileKeys.begin(), kOtherBuildFileKeys.end());
    for (const PlanSetting& setting : plan_setting_table()) keys.push_back(setting.key);
    SKL_TRY_DO(fields_.check_keys(json, "", keys));
    PlanSettings settings;
    for (const PlanSetting& setting : plan_setting_table()) {
      if (!json.contains(setting.key)) continue;
      const auto take = [&](auto member) { return this->take(json, setting, member, settings); };
      SKL_TRY_DO(std::visit(take, setting.goes_to));
      settings.given.insert(setting.key);
    }
    return settings;
  }

 private:
  std::unexpected<Error> wrong(const std::string& place, const std::string& expected,
                               const std::string& found) const {
    return fields_.wrong(place, expected, found);
  }

  // Each of these reads a setting that the file has.
  Result<void> take(const Json& json, const PlanSetting& setting, bool PlanOptions::*member,
                    PlanSettings& settings) const {
    SKL_TRY(const auto flag, fields_.flag(json, "", std::string(setting.key)));
    settings.options.*member = *flag;
    return {};
  }

  template <typename Number>
    requires std::is_same_v<Number, double> || std::is_same_v<Number, std::optional<double>>
  Result<void> take(const Json& json, const PlanSetting& setting, Number PlanOptions::*member,
                    PlanSettings& settings) const {
    const std::string key(setting.key);
    SKL_TRY(const auto number, fields_.number(json, "", key));
    settings.options.*member = *number;
    return check_number(setting, *number, file_, key);
  }

  Result<void> take(const Json& json, const PlanSetting& setting, uint32_t PlanOptions::*member,
                    PlanSettings& settings) const {
    const std::string key(setting.key);
    SKL_TRY(const auto number, fields_.whole_number(json, "", key));
    settings.options.*member = static_cast<uint32_t>(*number);
    return check_number(setting, static_cast<double>(*number), file_, key);
  }

  Result<void> take(const Json& json, const PlanSetting& setting,
                    std::vector<std::string> PlanSettings::*member, PlanSettings& settings) const {
    SKL_TRY(auto texts, fields_.texts(json, "", std::string(setting.key)));
    settings.*member = std::move(texts);
    return {};
  }

  Result<void> take(const Json& json, const PlanSetting&, AlignmentRules,
                    PlanSettings& settings) const {
    if (!json["align"].is_object())
      return wrong("align", "an object of alignments by pattern", json["align"].type_name());
    for (const auto& [glob, value] : json["align"].items()) {
      const std::string place = fmt::format("align, '{}'", glob.substr(0, 100));
      if (!is_int32(value)) return wrong(place, "a whole number", value.type_name());
      PlanRule& rule = settings.options.rules.emplace_back();
      rule.glob = glob;
      rule.alignment_bytes = static_cast<uint32_t>(value.get<int32_t>());
      SKL_TRY_DO(check_rule(rule, file_, place));
    }
    return {};
  }

  Result<void> take(const Json& json, const PlanSetting& setting,
                    std::map<std::string, double> PlanOptions::*member,
                    PlanSettings& settings) const {
    if (!json["weights"].is_object())
      return wrong("weights", "an object of numbers by scenario", json["weights"].type_name());
    for (const auto& [name, value] : json["weights"].items()) {
      const std::string place = fmt::format("weights, '{}'", name.substr(0, 100));
      if (!value.is_number()) return wrong(place, "a number", value.type_name());
      const auto weight = value.get<double>();
      SKL_TRY_DO(check_number(setting, weight, file_, place));
      (settings.options.*member)[name] = weight;
    }
    return {};
  }

  Result<void> take(const Json& json, const PlanSetting&, std::vector<Session> PlanOptions::*member,
                    PlanSettings& settings) const {
    std::vector<Session>& sessions = settings.options.*member;
    const std::string expected = "a list of lists of scenarios' names";
    if (!json["sessions"].is_array())
      return wrong("sessions", expected, json["sessions"].type_name());
    for (const Json& list : json["sessions"]) {
      const std::string place = fmt::format("sessions, number {}", sessions.size() + 1);
      if (!list.is_array()) return wrong(place, expected, list.type_name());
      Session session;
      for (const Json& name : list) {
        if (!name.is_string()) return wrong(place, expected, name.type_name());
        session.push_back(name.get<std::string>());
      }
      SKL_TRY_DO(check_session(session, file_, place));
      sessions.push_back(std::move(session));
    }
    return {};
  }

  Result<void> take(const Json& json, const PlanSetting&, std::vector<PlanRule> PlanOptions::*,
                    PlanSettings& settings) const {
    if (!json["rules"].is_array()) return wrong("rules", "a list", json["rules"].type_name());
    size_t number = 0;
    for (const Json& from : json["rules"]) {
      const std::string place = fmt::format("rules, number {}", ++number);
      SKL_TRY(auto parsed, rule(from, place));
      settings.options.rules.push_back(std::move(parsed));
    }
    return check_pack_names(settings.options.rules, file_);
  }

  Result<PlanRule> rule(const Json& json, const std::string& place) const {
    SKL_TRY_DO(fields_.check_keys(json, place, kRuleKeys));
    if (!json.contains("match")) return wrong(place, "'match', a pattern of paths", "none");
    PlanRule rule;
    for (const auto& [key, value] : json.items()) {
      const bool is_text = key == "match" || key == "pack";
      const bool is_flag = key == "copies" || key == "exclude";
      if (is_text && !value.is_string())
        return wrong(place + ", " + key, "text", value.type_name());
      if (is_flag && !value.is_boolean())
        return wrong(place + ", " + key, "true or false", value.type_name());
      if (!is_text && !is_flag && !is_int32(value))
        return wrong(place + ", " + key, "a whole number",
                     value.is_number() ? value.dump().substr(0, 40) : value.type_name());
      if (key == "match") rule.glob = value.get<std::string>();
      if (key == "pack") rule.pack = value.get<std::string>();
      if (key == "order") rule.order = value.get<int32_t>();
      // A negative number becomes one that isn't a power of two, which is refused later.
      if (key == "align") rule.alignment_bytes = static_cast<uint32_t>(value.get<int32_t>());
      if (key == "copies") rule.copies = value.get<bool>();
      if (key == "exclude") rule.excluded = value.get<bool>();
    }
    SKL_TRY_DO(check_rule(rule, file_, place));
    return rule;
  }

  static bool is_int32(const Json& value) {
    if (!value.is_number_integer()) return false;
    if (value.is_number_unsigned() && value.get<uint64_t>() > INT32_MAX) return false;
    return value.get<int64_t>() >= INT32_MIN && value.get<int64_t>() <= INT32_MAX;
  }

  const std::string& file_;
  const JsonFields fields_;
};

// Shortens the library's message, such as "[json.exception...] parse error at line 5, column 1:
// syntax error while parsing object key - unexpected '}'; expected string literal", to our own
// form.
Error syntax_error(std::string_view text, const Json::parse_error& error, const std::string& file) {
  const size_t at = error.byte == 0 ? 0 : std::min(error.byte - 1, text.size());
  const std::string_view before = text.substr(0, at);
  const size_t line_begin = before.rfind('\n') + 1;  // 0 if there is no line break
  std::string found = short_message(error);
  for (const std::string_view front : {": ", " - "})
    if (const size_t end = found.find(front); end != std::string::npos)
      found = found.substr(end + front.size());
  const size_t last = before.find_last_not_of(" \t\r\n");
  const bool is_behind_comma = last != std::string_view::npos && before[last] == ',';
  return wrong_usage(
             {.file = file,
              .place = fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                                   at - line_begin + 1),
              .expected = kExpectedJson,
              .found = std::move(found),
              .advice = is_behind_comma ? "no comma goes after the last one" : ""})
      .error();
}

}  // namespace

Result<void> check_session(const Session& session, const std::string& file,
                           const std::string& place) {
  std::set<std::string_view> names;
  for (const std::string& name : session)
    if (name.empty() || !names.insert(name).second)
      return wrong_usage(
          {.file = file,
           .place = place,
           .expected = "scenarios in the order they are played, each once",
           .found = name.empty() ? "an empty name" : fmt::format("'{}' twice", name)});
  if (session.size() > 1) return {};
  return wrong_usage({.file = file,
                      .place = place,
                      .expected = "two scenarios or more",
                      .found = fmt::to_string(session.size())});
}

Result<Json> parse_build_json(std::string_view text, const std::string& file) {
  try {
    constexpr bool kIgnoreComments = true;
    const auto keep = [](int depth, Json::parse_event_t event, Json&) {
      check_json_depth<Json>(depth, event);
      return true;
    };
    return Json::parse(text, keep, true, kIgnoreComments);
  } catch (const Json::parse_error& error) {
    return std::unexpected(syntax_error(text, error, file));
  } catch (const Json::exception& error) {
    return wrong_usage({.file = file, .expected = kExpectedJson, .found = short_message(error)});
  }
}

Result<PlanSettings> to_plan_settings(const Json& json, const std::string& file) {
  return SettingsParser(file).parse(json);
}

Result<PlanSettings> parse_plan_settings(std::string_view text, const std::string& file) {
  SKL_TRY(const auto json, parse_build_json(text, file));
  return to_plan_settings(json, file);
}

Result<PlanSettings> read_plan_settings(const std::string& path) {
  SKL_TRY(const auto text, read_text(path, kMostBuildFileBytes));
  return parse_plan_settings(text, path);
}

Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file) {
  if (!settings.drives.empty()) {
    SKL_TRY(auto drive, get_drive(drive_beside(settings.drives.front(), build_file)));
    settings.options.drive = std::move(drive);
  }
  return std::move(settings.options);
}

std::string drive_beside(const std::string& name, const std::string& build_file) {
  if (!name.ends_with(".json") || name.starts_with('/')) return name;
  const size_t slash = build_file.rfind('/');
  return slash == std::string::npos ? name : build_file.substr(0, slash + 1) + name;
}

}  // namespace seekless

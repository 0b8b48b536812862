#include "packer/plan/plan_settings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/base/json_fields.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kRuleKeys = {"match", "pack",   "order",
                                                       "align", "copies", "exclude"};
// No budget, gain or weight needs more than this, and sums of such numbers stay exact enough.
constexpr double kMostNumber = 1e9;
constexpr const char* kExpectedJson = "JSON as in schemas/build.schema.json";

class SettingsParser {
 public:
  explicit SettingsParser(const std::string& file) : file_(file), fields_(file) {}

  Result<PlanSettings> parse(const Json& json) {
    if (auto checked = fields_.check_keys(json, "", kBuildFileKeys); !checked)
      return std::unexpected(checked.error());
    PlanSettings settings;
    if (auto read = numbers(json, settings); !read) return std::unexpected(read.error());
    if (auto read = weights(json, settings); !read) return std::unexpected(read.error());
    if (auto read = sessions(json, settings); !read) return std::unexpected(read.error());
    if (auto read = drives(json, settings); !read) return std::unexpected(read.error());
    if (auto read = alignments(json, settings); !read) return std::unexpected(read.error());
    if (auto read = rules(json, settings); !read) return std::unexpected(read.error());
    return settings;
  }

 private:
  std::unexpected<Error> wrong(const std::string& place, const std::string& expected,
                               const std::string& found) const {
    return fields_.wrong(place, expected, found);
  }

  Result<void> numbers(const Json& json, PlanSettings& settings) const {
    const auto budget = fields_.number(json, "", "budget");
    if (!budget) return std::unexpected(budget.error());
    if (*budget)
      if (auto checked = check_budget(**budget, file_, "budget"); !checked) return checked;
    settings.budget_ratio = *budget;
    const auto gain = fields_.number(json, "", "gain");
    if (!gain) return std::unexpected(gain.error());
    if (*gain)
      if (auto checked = check_gain(**gain, file_, "gain"); !checked) return checked;
    settings.gain_s_per_gb = *gain;
    const auto block = fields_.whole_number(json, "", "block");
    if (!block) return std::unexpected(block.error());
    if (*block)
      if (auto checked = check_block(**block, file_, "block"); !checked) return checked;
    settings.block_bytes = *block;
    const auto drop = fields_.flag(json, "", "drop_outliers");
    if (!drop) return std::unexpected(drop.error());
    settings.drop_outliers = drop->value_or(false);
    const auto fold = fields_.flag(json, "", "fold_case");
    if (!fold) return std::unexpected(fold.error());
    settings.fold_case = fold->value_or(false);
    return {};
  }

  Result<void> drives(const Json& json, PlanSettings& settings) const {
    auto drives = fields_.texts(json, "", "drives");
    if (!drives) return std::unexpected(drives.error());
    settings.drives = *std::move(drives);
    return {};
  }

  // Alignments come before the rules, which may override them for some of these assets.
  Result<void> alignments(const Json& json, PlanSettings& settings) const {
    if (!json.contains("align")) return {};
    if (!json["align"].is_object())
      return wrong("align", "an object of alignments by pattern", json["align"].type_name());
    for (const auto& [glob, value] : json["align"].items()) {
      const std::string place = fmt::format("align, '{}'", glob.substr(0, 100));
      if (!is_int32(value)) return wrong(place, "a whole number", value.type_name());
      PlanRule& rule = settings.rules.emplace_back();
      rule.glob = glob;
      rule.alignment_bytes = static_cast<uint32_t>(value.get<int32_t>());
      if (auto checked = check_rule(rule, file_, place); !checked) return checked;
    }
    return {};
  }

  Result<void> weights(const Json& json, PlanSettings& settings) const {
    if (!json.contains("weights")) return {};
    if (!json["weights"].is_object())
      return wrong("weights", "an object of numbers by scenario", json["weights"].type_name());
    for (const auto& [name, value] : json["weights"].items()) {
      const std::string place = fmt::format("weights, '{}'", name.substr(0, 100));
      if (!value.is_number()) return wrong(place, "a number", value.type_name());
      const auto weight = value.get<double>();
      if (auto checked = check_weight(weight, file_, place); !checked) return checked;
      settings.weights[name] = weight;
    }
    return {};
  }

  Result<void> sessions(const Json& json, PlanSettings& settings) const {
    if (!json.contains("sessions")) return {};
    const std::string expected = "a list of lists of scenarios' names";
    if (!json["sessions"].is_array())
      return wrong("sessions", expected, json["sessions"].type_name());
    for (const Json& list : json["sessions"]) {
      const std::string place = fmt::format("sessions, number {}", settings.sessions.size() + 1);
      if (!list.is_array()) return wrong(place, expected, list.type_name());
      Session session;
      for (const Json& name : list) {
        if (!name.is_string()) return wrong(place, expected, name.type_name());
        session.push_back(name.get<std::string>());
      }
      if (auto checked = check_session(session, file_, place); !checked) return checked;
      settings.sessions.push_back(std::move(session));
    }
    return {};
  }

  Result<void> rules(const Json& json, PlanSettings& settings) const {
    if (!json.contains("rules")) return {};
    if (!json["rules"].is_array()) return wrong("rules", "a list", json["rules"].type_name());
    size_t number = 0;
    for (const Json& from : json["rules"]) {
      const std::string place = fmt::format("rules, number {}", ++number);
      auto parsed = rule(from, place);
      if (!parsed) return std::unexpected(parsed.error());
      settings.rules.push_back(std::move(*parsed));
    }
    return check_pack_names(settings.rules, file_);
  }

  Result<PlanRule> rule(const Json& json, const std::string& place) const {
    if (auto checked = fields_.check_keys(json, place, kRuleKeys); !checked)
      return std::unexpected(checked.error());
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
      // A negative number becomes one that is no power of two, which is refused later.
      if (key == "align") rule.alignment_bytes = static_cast<uint32_t>(value.get<int32_t>());
      if (key == "copies") rule.copies = value.get<bool>();
      if (key == "exclude") rule.excluded = value.get<bool>();
    }
    if (auto checked = check_rule(rule, file_, place); !checked)
      return std::unexpected(checked.error());
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

Result<void> check_number(double number, double least, const std::string& expected,
                          const std::string& file, const std::string& place) {
  if (number >= least && number <= kMostNumber) return {};
  return wrong_usage(
      {.file = file, .place = place, .expected = expected, .found = fmt::format("{:g}", number)});
}

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

Result<void> check_budget(double ratio, const std::string& file, const std::string& place) {
  return check_number(ratio, 1, "the packs' bytes as a multiple of the content's, 1 or more", file,
                      place);
}

Result<void> check_gain(double seconds_per_gb, const std::string& file, const std::string& place) {
  return check_number(seconds_per_gb, 0, "seconds that a GB of copies has to save, 0 or more", file,
                      place);
}

Result<void> check_block(uint64_t bytes, const std::string& file, const std::string& place) {
  if (std::has_single_bit(bytes) && bytes >= format::kMinBlockBytes &&
      bytes <= format::kMaxBlockBytes)
    return {};
  return wrong_usage({.file = file,
                      .place = place,
                      .expected = "a power of two from 65536 to 16777216",
                      .found = fmt::to_string(bytes)});
}

Result<void> check_weight(double weight, const std::string& file, const std::string& place) {
  return check_number(weight, 0, "a weight of 0 or more", file, place);
}

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
  const auto json = parse_build_json(text, file);
  if (!json) return std::unexpected(json.error());
  return to_plan_settings(*json, file);
}

Result<PlanSettings> read_plan_settings(const std::string& path) {
  const auto text = read_text(path, kMostBuildFileBytes);
  if (!text) return std::unexpected(text.error());
  return parse_plan_settings(*text, path);
}

PlanSettings with(PlanSettings settings, PlanSettings first) {
  if (first.budget_ratio) settings.budget_ratio = first.budget_ratio;
  if (first.gain_s_per_gb) settings.gain_s_per_gb = first.gain_s_per_gb;
  if (first.block_bytes) settings.block_bytes = first.block_bytes;
  if (!first.drives.empty()) settings.drives = std::move(first.drives);
  if (!first.sessions.empty()) settings.sessions = std::move(first.sessions);
  settings.drop_outliers = settings.drop_outliers || first.drop_outliers;
  settings.fold_case = settings.fold_case || first.fold_case;
  for (auto& [scenario, weight] : first.weights) settings.weights[scenario] = weight;
  std::ranges::move(first.rules, std::back_inserter(settings.rules));
  return settings;
}

Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file) {
  PlanOptions options;
  if (!settings.drives.empty()) {
    auto drive = get_drive(drive_beside(settings.drives.front(), build_file));
    if (!drive) return std::unexpected(drive.error());
    options.drive = *std::move(drive);
  }
  if (settings.budget_ratio) options.budget_ratio = settings.budget_ratio;
  options.gain_s_per_gb = settings.gain_s_per_gb.value_or(options.gain_s_per_gb);
  options.block_bytes = static_cast<uint32_t>(settings.block_bytes.value_or(options.block_bytes));
  options.fold_case = settings.fold_case;
  options.drop_outliers = settings.drop_outliers;
  options.weights = std::move(settings.weights);
  options.sessions = std::move(settings.sessions);
  options.rules = std::move(settings.rules);
  return options;
}

std::string drive_beside(const std::string& name, const std::string& build_file) {
  if (!name.ends_with(".json") || name.starts_with('/')) return name;
  const size_t slash = build_file.rfind('/');
  return slash == std::string::npos ? name : build_file.substr(0, slash + 1) + name;
}

}  // namespace seekless

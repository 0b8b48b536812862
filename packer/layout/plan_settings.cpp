#include "packer/layout/plan_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/host/files.h"
#include "packer/host/json_value.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kLimitBytes = uint64_t{16} << 20;
constexpr std::array<std::string_view, 6> kKeys = {"$schema", "budget",   "gain",
                                                   "weights", "sessions", "rules"};
constexpr std::array<std::string_view, 6> kRuleKeys = {"match", "pack",   "order",
                                                       "align", "copies", "exclude"};
// What no budget, gain or weight needs, and sums of which stay exact enough.
constexpr double kMostNumber = 1e9;

// Letters to insert, delete or replace to make one of the other (Wagner and Fischer 1974).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

std::string advice_for_key(std::string_view key, std::span<const std::string_view> known) {
  constexpr size_t kLongestGuess = 64;
  if (key.size() <= kLongestGuess) {
    const auto nearest = std::ranges::min_element(
        known, {}, [&](std::string_view candidate) { return edit_distance(key, candidate); });
    if (edit_distance(key, *nearest) <= 1 + nearest->size() / 3)
      return fmt::format("do you mean '{}'?", *nearest);
  }
  return fmt::format("known are {}", fmt::join(known, ", "));
}

class SettingsParser {
 public:
  explicit SettingsParser(const std::string& file) : file_(file) {}

  Result<PlanSettings> parse(const Json& json) {
    if (!json.is_object()) return wrong("", "an object", json.type_name());
    if (auto checked = check_keys(json, "", kKeys); !checked)
      return std::unexpected(checked.error());
    PlanSettings settings;
    if (auto read = numbers(json, settings); !read) return std::unexpected(read.error());
    if (auto read = weights(json, settings); !read) return std::unexpected(read.error());
    if (auto read = sessions(json, settings); !read) return std::unexpected(read.error());
    if (auto read = rules(json, settings); !read) return std::unexpected(read.error());
    return settings;
  }

 private:
  std::unexpected<Error> wrong(const std::string& place, const std::string& expected,
                               const std::string& found) const {
    return wrong_usage({.file = file_, .place = place, .expected = expected, .found = found});
  }

  Result<void> check_keys(const Json& json, const std::string& place,
                          std::span<const std::string_view> known) const {
    for (const auto& [key, value] : json.items())
      if (std::ranges::find(known, key) == known.end())
        return wrong_usage({.file = file_,
                            .place = place,
                            .expected = "keys that are known",
                            .found = fmt::format("'{}'", key.substr(0, 100)),
                            .advice = advice_for_key(key, known)});
    return {};
  }

  Result<double> number(const Json& json, const std::string& place) const {
    if (!json.is_number()) return wrong(place, "a number", json.type_name());
    return json.get<double>();
  }

  Result<void> numbers(const Json& json, PlanSettings& settings) const {
    if (json.contains("budget")) {
      const auto budget = number(json["budget"], "budget");
      if (!budget) return std::unexpected(budget.error());
      if (auto checked = check_budget(*budget, file_, "budget"); !checked) return checked;
      settings.budget_ratio = *budget;
    }
    if (json.contains("gain")) {
      const auto gain = number(json["gain"], "gain");
      if (!gain) return std::unexpected(gain.error());
      if (auto checked = check_gain(*gain, file_, "gain"); !checked) return checked;
      settings.gain_s_per_gb = *gain;
    }
    return {};
  }

  Result<void> weights(const Json& json, PlanSettings& settings) const {
    if (!json.contains("weights")) return {};
    if (!json["weights"].is_object())
      return wrong("weights", "an object of numbers by scenario", json["weights"].type_name());
    for (const auto& [name, value] : json["weights"].items()) {
      const std::string place = fmt::format("weights, '{}'", name.substr(0, 100));
      const auto weight = number(value, place);
      if (!weight) return std::unexpected(weight.error());
      if (auto checked = check_weight(*weight, file_, place); !checked) return checked;
      settings.weights[name] = *weight;
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
    for (const Json& from : json["rules"]) {
      const std::string place = fmt::format("rules, number {}", settings.rules.size() + 1);
      auto parsed = rule(from, place);
      if (!parsed) return std::unexpected(parsed.error());
      settings.rules.push_back(std::move(*parsed));
    }
    return {};
  }

  Result<PlanRule> rule(const Json& json, const std::string& place) const {
    if (!json.is_object()) return wrong(place, "an object", json.type_name());
    if (auto checked = check_keys(json, place, kRuleKeys); !checked)
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
      // A negative one becomes one that is no power of two.
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
};

Result<void> check_number(double number, double least, const std::string& expected,
                          const std::string& file, const std::string& place) {
  if (number >= least && number <= kMostNumber) return {};
  return wrong_usage(
      {.file = file, .place = place, .expected = expected, .found = fmt::format("{:g}", number)});
}

}  // namespace

Result<void> check_budget(double ratio, const std::string& file, const std::string& place) {
  return check_number(ratio, 1, "the packs' bytes as a multiple of the content's, 1 or more", file,
                      place);
}

Result<void> check_gain(double seconds_per_gb, const std::string& file, const std::string& place) {
  return check_number(seconds_per_gb, 0, "seconds that a GB of copies has to earn, 0 or more", file,
                      place);
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

Result<PlanSettings> parse_plan_settings(std::string_view text, const std::string& file) {
  try {
    constexpr bool kIgnoreComments = true;
    return SettingsParser(file).parse(Json::parse(text, nullptr, true, kIgnoreComments));
  } catch (const Json::exception& error) {
    return wrong_usage({.file = file,
                        .expected = "JSON as in schemas/build.schema.json",
                        .found = short_message(error)});
  }
}

Result<PlanSettings> read_plan_settings(const std::string& path) {
  const auto text = read_text(path, kLimitBytes);
  if (!text) return std::unexpected(text.error());
  return parse_plan_settings(*text, path);
}

}  // namespace seekless

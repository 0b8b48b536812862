#include "packer/plan/plan_texts.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "packer/plan/plan_settings.h"

namespace seekless {
namespace {

// Splits "NAME=NUMBER" at the last '='.
template <typename Number>
std::optional<std::pair<std::string, Number>> name_and_number(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  Number number = {};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return std::pair(text.substr(0, equals), number);
}

std::unexpected<Error> wrong_text(const PlanSetting& setting, const std::string& expected,
                                  const std::string& text) {
  return wrong_usage({.place = std::string(setting.option),
                      .expected = expected,
                      .found = fmt::format("'{}'", text)});
}

Result<void> take(const PlanSetting& setting, const std::string& text,
                  std::map<std::string, double>& weights) {
  const auto weight = name_and_number<double>(text);
  if (!weight) return wrong_text(setting, "SCENARIO=WEIGHT, such as map/rush=3", text);
  weights[weight->first] = weight->second;
  return check_number(setting, weight->second, "", std::string(setting.option));
}

Result<void> take(const PlanSetting& setting, const std::string& text,
                  std::vector<Session>& sessions) {
  Session& session = sessions.emplace_back();
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    session.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return check_session(session, "", std::string(setting.option));
}

Result<void> take_alignment(const PlanSetting& setting, const std::string& text,
                            std::vector<PlanRule>& rules) {
  auto alignment = name_and_number<uint32_t>(text);
  if (!alignment || !check_number(setting, alignment->second, "", ""))
    return wrong_text(setting, fmt::format("{}, with {}", setting.takes, range_of(setting)), text);
  PlanRule& rule = rules.emplace_back();
  rule.glob = std::move(alignment->first);
  rule.alignment_bytes = alignment->second;
  return {};
}

}  // namespace

Result<void> take_text(const PlanSetting& setting, const std::string& text,
                       PlanSettings& settings) {
  const auto take_for = [&](auto member) -> Result<void> {
    if constexpr (std::is_same_v<decltype(member), AlignmentRules>)
      return take_alignment(setting, text, settings.options.rules);
    else if constexpr (requires { take(setting, text, settings.options.*member); })
      return take(setting, text, settings.options.*member);
    else
      return {};  // the command line's parser reads this setting itself
  };
  return std::visit(take_for, setting.goes_to);
}

Result<std::map<std::string, double>> parse_weights(const std::vector<std::string>& texts) {
  std::map<std::string, double> weights;
  for (const std::string& text : texts) SKL_TRY_DO(take(plan_setting("weights"), text, weights));
  return weights;
}

}  // namespace seekless

#include "packer/plan/plan_texts.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
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

}  // namespace

Result<void> add_weights(const std::vector<std::string>& texts,
                         std::map<std::string, double>& weights) {
  for (const std::string& text : texts) {
    const auto weight = name_and_number<double>(text);
    if (!weight)
      return wrong_usage({.place = "--weight",
                          .expected = "SCENARIO=WEIGHT, such as map/rush=3",
                          .found = fmt::format("'{}'", text)});
    if (auto checked = check_weight(weight->second, "", "--weight"); !checked) return checked;
    weights[weight->first] = weight->second;
  }
  return {};
}

Result<void> add_sessions(const std::vector<std::string>& texts, PlanSettings& settings) {
  for (const std::string& text : texts) {
    Session session;
    for (size_t at = 0; at <= text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      session.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
    if (auto checked = check_session(session, "", "--session"); !checked) return checked;
    settings.sessions.push_back(std::move(session));
  }
  return {};
}

Result<void> add_alignments(const std::vector<std::string>& texts, PlanSettings& settings) {
  for (const std::string& text : texts) {
    auto alignment = name_and_number<uint32_t>(text);
    if (!alignment || !std::has_single_bit(alignment->second) ||
        alignment->second > kMaxAlignmentBytes)
      return wrong_usage({.place = "--align",
                          .expected = "GLOB=BYTES, with a power of two up to 4096",
                          .found = fmt::format("'{}'", text)});
    PlanRule& rule = settings.rules.emplace_back();
    rule.glob = std::move(alignment->first);
    rule.alignment_bytes = alignment->second;
  }
  return {};
}

}  // namespace seekless

#include "packer/trace/scenario_marks.h"

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

constexpr int64_t kFirstUnixTimeNs = 100'000'000 * kSecondNs;  // a time in 1973

// Parses "Z", "+01:00" or "-0530" to nanoseconds east of Greenwich.
std::optional<int64_t> parse_zone_ns(std::string_view zone) {
  if (zone == "Z" || zone == "z") return 0;
  if (zone.empty() || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const bool is_west = zone[0] == '-';
  const size_t minutes_at = zone.size() == 6 && zone[3] == ':' ? 4 : 3;
  if (zone.size() != minutes_at + 2) return std::nullopt;
  const auto hours = parse_whole_number(zone.substr(1, 2));
  const auto minutes = parse_whole_number(zone.substr(minutes_at));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto east_ns = static_cast<int64_t>(*hours * 60 + *minutes) * 60 * kSecondNs;
  return is_west ? -east_ns : east_ns;
}

// Parses "2026-11-21T12:51:04.5Z" to the time since 1970.
std::optional<int64_t> parse_date_ns(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T') return std::nullopt;
  const auto year = parse_whole_number(text.substr(0, 4));
  const auto month = parse_whole_number(text.substr(5, 2));
  const auto day = parse_whole_number(text.substr(8, 2));
  const size_t zone_at = text.find_first_of("Zz+-", 11);
  if (!year || !month || !day || zone_at == std::string_view::npos) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  const auto time_ns = parse_time_of_day_ns(text.substr(11, zone_at - 11));
  const auto zone_ns = parse_zone_ns(text.substr(zone_at));
  if (!date.ok() || *year < 1970 || *year > 2200 || !time_ns || !zone_ns) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * 86400 * kSecondNs + *time_ns - *zone_ns;
}

}  // namespace

Result<TimeMark> parse_time_mark(std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view time = text.substr(0, equals);
  TimeMark mark;
  std::optional<int64_t> time_ns = parse_date_ns(time);
  mark.is_unix = time_ns.has_value();
  if (!time_ns) {
    time_ns = parse_unix_ns(time);
    mark.is_unix = time_ns && *time_ns >= kFirstUnixTimeNs;
  }
  if (!time_ns || equals == std::string_view::npos)
    return wrong_usage({.place = "--mark",
                        .expected = "TIME=NAME, such as 12.5=menu or 2026-11-21T12:51:04Z=menu",
                        .found = fmt::format("'{}'", text)});
  mark.time_ns = *time_ns;
  mark.scenario = text.substr(equals + 1);
  return mark;
}

std::string scenario_of_path(std::string_view path) {
  std::string_view stem = path.substr(path.find_last_of("/\\") + 1);
  const size_t dot = stem.rfind('.');
  if (dot != std::string_view::npos && dot > 0) stem = stem.substr(0, dot);
  return std::string(stem.empty() ? path : stem);
}

}  // namespace seekless

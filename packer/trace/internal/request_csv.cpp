#include "packer/trace/internal/request_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/trace/event.h"

namespace seekless {
namespace {

constexpr double kSector = 512;
constexpr double kMostMs = 1e12;
constexpr auto kMostBytes = static_cast<double>(kPlaceLimitBytes);

constexpr std::array<std::pair<std::string_view, double>, 4> kPlaceUnits = {
    {{"_bytes", 1}, {"_sectors", kSector}, {"_sector", kSector}, {"_kib", 1024}}};
constexpr std::array<std::pair<std::string_view, double>, 4> kTimeUnits = {
    {{"_ms", 1}, {"_us", 1e-3}, {"_ns", 1e-6}, {"_s", 1e3}}};

std::string_view field_text(std::string_view text) {
  constexpr std::string_view kAround = " \t\"";
  const size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

// Some spreadsheets write semicolons.
char column_separator(std::string_view header) {
  const size_t at = header.find_first_of(",;\t");
  return at == std::string_view::npos ? ',' : header[at];
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t end = line.find(separator);
    fields.push_back(field_text(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

// Returns the unit if the name is `base` followed by one of the units.
template <size_t kCount>
std::optional<double> unit_of(
    std::string_view name, std::string_view base,
    const std::array<std::pair<std::string_view, double>, kCount>& units) {
  if (!name.starts_with(base)) return std::nullopt;
  for (const auto& [suffix, unit] : units)
    if (name.substr(base.size()) == suffix) return unit;
  return std::nullopt;
}

// Returns true for a read, false for a write.
std::optional<bool> parse_kind(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char first = lower_case(text.front());
  if (first == 'r') return true;
  if (first == 'w') return false;
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_amount(std::string_view text, double most) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0) || value > most)
    return std::nullopt;
  return value;
}

RequestColumns::RequestColumn RequestColumns::column_of(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += lower_case(c);
  for (const std::string_view base : {"position", "offset", "place"})
    if (const auto unit = unit_of(lower, base, kPlaceUnits)) return {Meaning::position, *unit};
  if (lower == "sector") return {Meaning::position, kSector};
  if (lower == "sectors") return {Meaning::length, kSector};
  for (const std::string_view base : {"length", "size"})
    if (const auto unit = unit_of(lower, base, kPlaceUnits)) return {Meaning::length, *unit};
  if (const auto unit = unit_of(lower, "response", kTimeUnits)) return {Meaning::response, *unit};
  if (const auto unit = unit_of(lower, "pause", kTimeUnits)) return {Meaning::pause, *unit};
  if (const auto unit = unit_of(lower, "start", kTimeUnits)) return {Meaning::start, *unit};
  for (const std::string_view kind : {"kind", "op", "operation", "rw", "read_or_write", "type"})
    if (lower == kind) return {Meaning::kind, 1};
  return {};
}

std::optional<RequestColumns> RequestColumns::parse(std::string_view header, std::string& reason) {
  RequestColumns columns;
  columns.separator_ = column_separator(header);
  for (const std::string_view name : fields_of(header, columns.separator_))
    columns.columns_.push_back(column_of(name));
  constexpr std::array<std::pair<Meaning, std::string_view>, 4> kNeeded = {
      {{Meaning::position, "position_bytes or position_sectors"},
       {Meaning::length, "length_bytes or length_sectors"},
       {Meaning::kind, "kind, which is R or W"},
       {Meaning::response, "response_ms or response_us"}}};
  for (const auto& [meaning, name] : kNeeded)
    if (std::ranges::count(columns.columns_, meaning, &RequestColumn::meaning) != 1) {
      reason = fmt::format("the column {}, once", name);
      return std::nullopt;
    }
  return columns;
}

bool RequestColumns::tells_starts() const {
  return std::ranges::find(columns_, Meaning::start, &RequestColumn::meaning) != columns_.end();
}

std::optional<LoggedRequest> RequestColumns::split(std::string_view line) const {
  const std::vector<std::string_view> fields = fields_of(line, separator_);
  if (fields.size() != columns_.size()) return std::nullopt;
  LoggedRequest logged;
  ServedRequest& request = logged.request;
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto [meaning, unit] = columns_[i];
    if (meaning == Meaning::other) continue;
    if (meaning == Meaning::kind) {
      const auto is_read = parse_kind(fields[i]);
      if (!is_read) return std::nullopt;
      request.is_read = *is_read;
      continue;
    }
    const bool is_place = meaning == Meaning::position || meaning == Meaning::length;
    const auto value = parse_amount(fields[i], (is_place ? kMostBytes : kMostMs) / unit);
    if (!value) return std::nullopt;
    if (meaning == Meaning::position) request.position_bytes = static_cast<uint64_t>(*value * unit);
    if (meaning == Meaning::length) request.length_bytes = static_cast<uint64_t>(*value * unit);
    if (meaning == Meaning::response) request.response_ms = *value * unit;
    if (meaning == Meaning::pause) request.pause_ms = *value * unit;
    if (meaning == Meaning::start) logged.start_ms = *value * unit;
  }
  return logged;
}

bool is_request_header(std::string_view text) {
  std::string reason;
  if (RequestColumns::parse(text, reason)) return true;
  // A header that lacks a column is still one, and its error names that column.
  const auto first = fields_of(text, column_separator(text));
  return first.size() >= 3 && std::ranges::any_of(first, [](std::string_view name) {
           return name.starts_with("position") || name.starts_with("response");
         });
}

}  // namespace seekless

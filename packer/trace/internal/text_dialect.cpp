#include "packer/trace/internal/text_dialect.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/trace/internal/lines.h"

namespace seekless {
namespace {

constexpr std::string_view kSecondsColumn = "TIME(s)";

// These columns hold words, and all others hold numbers.
bool is_word_column(std::string_view name) {
  return name == "DISK" || name == "T" || name == "TYPE" || name == "TIME" || name == "FLAGS" ||
         name == "MODE" || name == "PATTERN" || name == "P" || name == "TIMESTAMP";
}

bool fits_column(std::string_view name, std::string_view value) {
  if (value.empty()) return false;
  if (is_word_column(name)) return true;
  return value.find_first_not_of("0123456789.-") == std::string_view::npos ||
         parse_number(value).has_value();
}

}  // namespace

Result<void> for_each_line(ByteStream& stream, LastLine last, ImportReport& report,
                           const std::function<Result<bool>(std::string_view)>& take) {
  LineReader lines(stream);
  Line line;
  for (;;) {
    SKL_TRY(const auto more, lines.next(line));
    report.lines = lines.lines();
    if (!more) return {};
    if (line.text.empty()) continue;
    if (!line.is_ended && last == LastLine::must_end) {
      report.warnings.push_back(fmt::format(
          "{}: line {}: the last line is cut short, and is left out", stream.name(), line.number));
      continue;
    }
    SKL_TRY(const auto understood, line.is_cut ? false : take(line.text));
    if (!understood) report.add_unparsed(line.number, line.text);
  }
}

std::string_view take_line(std::string_view& front) {
  const size_t end = front.find('\n');
  std::string_view line = front.substr(0, end);
  front = end == std::string_view::npos ? std::string_view{} : front.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

namespace {

// Counts empty lines too.
size_t count_lines(std::string_view text) {
  size_t lines = 1;
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ++lines;
  return lines;
}

}  // namespace

bool most_lines(std::string_view front, bool (*is_alike)(std::string_view)) {
  const size_t most = count_lines(front);
  size_t lines = 0;
  size_t alike = 0;
  size_t preamble = 0;
  while (!front.empty()) {
    // Skips a line that the end of the front cuts off, unless it is the only one.
    if (lines > 0 && front.find('\n') == std::string_view::npos) break;
    const std::string_view line = take_line(front);
    if (line.empty()) continue;
    const bool is_one = is_alike(line);
    if (alike == 0 && !is_one && ++preamble <= kPreambleLines) continue;
    ++lines;
    alike += is_one ? 1 : 0;
    if ((lines - alike) * 10 > most) return false;  // the remaining lines can't change the answer
  }
  return alike > 0 && alike * 10 >= lines * 9;
}

std::string_view find_line(std::string_view front, bool (*is_alike)(std::string_view)) {
  for (size_t i = 0; i < kPreambleLines && !front.empty(); ++i) {
    const std::string_view line = take_line(front);
    if (is_alike(line)) return line;
  }
  return {};
}

namespace {

// Parses as parse_decimal_ns does, up to `limit_ns`.
std::optional<int64_t> decimal_ns(std::string_view text, int64_t unit_ns, int64_t limit_ns) {
  const size_t point = std::min(text.find('.'), text.size());
  const auto whole = parse_whole_number(text.substr(0, point));
  if (!whole || *whole > static_cast<uint64_t>(limit_ns / unit_ns)) return std::nullopt;
  int64_t value_ns = static_cast<int64_t>(*whole) * unit_ns;
  int64_t digit_ns = unit_ns;
  for (const char c : text.substr(std::min(point + 1, text.size()))) {
    if (!is_digit(c)) return std::nullopt;
    digit_ns /= 10;
    value_ns += (c - '0') * digit_ns;
  }
  if (value_ns > limit_ns) return std::nullopt;
  return value_ns;
}

}  // namespace

std::optional<int64_t> parse_decimal_ns(std::string_view text, int64_t unit_ns) {
  return decimal_ns(text, unit_ns, kTimeLimitNs);
}

std::optional<int64_t> parse_unix_ns(std::string_view text) {
  return decimal_ns(text, kSecondNs, 9'200'000'000 * kSecondNs);
}

std::optional<int64_t> parse_time_of_day_ns(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hours = parse_whole_number(text.substr(0, 2));
  const auto minutes = parse_whole_number(text.substr(3, 2));
  const auto seconds_ns = parse_decimal_ns(text.substr(6), kSecondNs);
  if (!hours || !minutes || !seconds_ns || *hours > 24 || *minutes > 59 ||
      *seconds_ns >= 61 * kSecondNs)
    return std::nullopt;
  return static_cast<int64_t>(*hours * 60 + *minutes) * 60 * kSecondNs + *seconds_ns;
}

std::string_view take_word(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

int64_t DayClock::since_first_ns(int64_t time_of_day_ns) {
  if (!first_ns_) first_ns_ = time_of_day_ns;
  const int64_t time_ns = time_of_day_ns - *first_ns_;
  // A small step back only means that lines are out of order.
  if (time_ns + days_ns_ < now_ns_ - kDayNs / 2 && days_ns_ < kTimeLimitNs - 2 * kDayNs)
    days_ns_ += kDayNs;
  return now_ns_ = time_ns + days_ns_;
}

bool is_within_limits(const Event& event) {
  if (event.start_ns < -kTimeLimitNs || event.start_ns > kTimeLimitNs ||
      event.duration_ns > kTimeLimitNs || event.offset_bytes > kPlaceLimitBytes)
    return false;
  return event.length_bytes == kWholeFile
             ? event.offset_bytes == 0
             : event.length_bytes <= kPlaceLimitBytes - event.offset_bytes;
}

Result<void> EventWriter::begin(std::string_view dialect, int64_t began_unix_ns) {
  if (std::exchange(has_begun_, true)) return {};
  TraceHeader header;
  header.dialect = dialect;
  header.began_unix_ns = began_unix_ns;
  return sink_.begin(header);
}

Result<uint32_t> EventWriter::number_of(std::string_view path) {
  const auto [number, is_new] = numbers_.number_of(path);
  if (is_new) SKL_TRY_DO(sink_.add_path(path));
  return number;
}

Result<bool> EventWriter::add(std::string_view path, Event event) {
  if (!is_within_limits(event)) return false;
  SKL_TRY(const auto number, number_of(path));
  event.path = number;
  SKL_TRY_DO(sink_.add_event(event));
  return true;
}

Result<bool> EventWriter::add_in_order(std::string_view path, Event event) {
  constexpr int64_t kStepNs = 1000;
  event.start_ns = order_;
  const auto added = add(path, event);
  if (added && *added) order_ += kStepNs;
  return added;
}

std::optional<ColumnTable> ColumnTable::parse(std::string_view header, char separator,
                                              std::string_view spaced, bool last_is_path) {
  ColumnTable table;
  table.separator_ = separator;
  table.last_is_path_ = last_is_path;
  while (!header.empty()) {
    const std::string_view name = table.take_field(header);
    if (name.empty()) continue;
    if (table.count_ == kMaxColumns) return std::nullopt;
    table.names_[table.count_++] = name;
  }
  table.spaced_ = table.index_of(spaced);
  if (table.spaced_ + 1 >= table.count_) return std::nullopt;
  return table;
}

size_t ColumnTable::index_of(std::string_view column) const {
  return static_cast<size_t>(std::find(names_, names_ + count_, column) - names_);
}

std::string_view ColumnTable::value(std::string_view column) const {
  const size_t index = index_of(column);
  return index < count_ ? values_[index] : std::string_view{};
}

std::string_view ColumnTable::take_field(std::string_view& text) const {
  if (separator_ == ' ') return take_word(text);
  const size_t end = std::min(text.find(separator_), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

// Splits the text after the column at spaces.
bool ColumnTable::split_rest(std::string_view rest, size_t column) {
  const size_t words_end = last_is_path_ ? count_ - 1 : count_;
  for (; column < words_end; ++column) {
    values_[column] = take_field(rest);
    if (!fits_column(names_[column], values_[column])) return false;
  }
  if (!last_is_path_) return rest.find_first_not_of(' ') == std::string_view::npos;
  if (separator_ == ' ' && rest.starts_with(' ')) rest.remove_prefix(1);
  values_[count_ - 1] = rest;
  return !rest.empty();
}

bool ColumnTable::split(std::string_view row) {
  if (!split_fields(row)) return part_time(row) && split_fields(parted_);
  if (names_[0] == kSecondsColumn)
    decimals_ = values_[0].size() - std::min(values_[0].find('.') + 1, values_[0].size());
  return true;
}

// Splits bcc's seconds from the next column. From 1,000 s on they are wider than their own column,
// and no space follows: "1001.659000game". The number of decimals stays the same.
bool ColumnTable::part_time(std::string_view row) {
  if (names_[0] != kSecondsColumn || separator_ != ' ' || decimals_ == 0) return false;
  const size_t cut = row.find('.') + 1 + decimals_;
  if (cut <= decimals_ || cut >= row.size() || row[cut] == ' ') return false;
  parted_ = row.substr(0, cut);
  parted_ += ' ';
  parted_ += row.substr(cut);
  return true;
}

bool ColumnTable::split_fields(std::string_view row) {
  for (size_t column = 0; column < spaced_; ++column) {
    values_[column] = take_field(row);
    if (!fits_column(names_[column], values_[column])) return false;
  }
  // A program's name ends where the following columns fit the rest of the line. In CSV the name is
  // as short as possible. In a table it is padded to at least 14 bytes, so all text within them
  // belongs to it, even numbers, as in "game 3 0".
  constexpr size_t kMaxNameBytes = 15;
  constexpr size_t kMaxTries = 16;
  const bool is_padded = separator_ == ' ';
  if (is_padded) row.remove_prefix(std::min(row.find_first_not_of(' '), row.size()));
  const std::string_view from = row;
  std::string_view name;
  std::string_view after;
  for (size_t tries = 0; tries < kMaxTries && !row.empty(); ++tries) {
    take_field(row);
    const std::string_view longer = from.substr(0, from.size() - row.size());
    if (!name.empty() && (!is_padded || longer.size() > kMaxNameBytes)) break;
    if (!split_rest(row, spaced_ + 1)) continue;
    name = longer;
    after = row;
  }
  values_[spaced_] = name;
  return !name.empty() && split_rest(after, spaced_ + 1);
}

}  // namespace seekless

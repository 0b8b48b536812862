// What the dialects that are a line an event share: reading lines with the counting that every
// dialect owes its report, numbers and times in text, and writing events with paths by name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "packer/base/text_numbers.h"
#include "packer/host/files.h"
#include "packer/trace/dialect.h"
#include "packer/trace/event.h"
#include "packer/trace/internal/numbers.h"

namespace seekless {

enum class LastLine : uint8_t {
  must_end,  // without "\n" it was cut short: dropped, with a warning
  may_end,   // a list that a person wrote may do without
};

// Hands each line that isn't empty to `take`, which says whether it made sense of it; what it
// doesn't is counted in the report. Fails only if the stream or `take` does.
Result<void> for_each_line(ByteStream& stream, LastLine last, ImportReport& report,
                           const std::function<Result<bool>(std::string_view)>& take);

// Takes the first line off the front, and gives it without its end.
std::string_view take_line(std::string_view& front);

// Whether at least nine in ten of the front's whole lines, and one at all, satisfy `is_alike`. The
// first `kPreambleLines` may be anything as long as one like it follows.
bool most_lines(std::string_view front, bool (*is_alike)(std::string_view));
// The first line of the front that satisfies `is_alike`, within its first `kPreambleLines`; "" if
// there is none.
inline constexpr size_t kPreambleLines = 8;
std::string_view find_line(std::string_view front, bool (*is_alike)(std::string_view));

// "12.345678" units of `unit_ns` each: 1'000'000'000 for seconds. Nothing if it is no such number,
// or beyond kTimeLimitNs.
std::optional<int64_t> parse_decimal_ns(std::string_view text, int64_t unit_ns);
// Seconds since 1970, at most until 2262.
std::optional<int64_t> parse_unix_ns(std::string_view text);
// "02:12:11.404376", since midnight.
std::optional<int64_t> parse_time_of_day_ns(std::string_view text);
// Takes the next word, and the spaces before it, off the front; "" at the end.
std::string_view take_word(std::string_view& text);

// Times of day since the first one, over midnight.
class DayClock {
 public:
  int64_t since_first_ns(int64_t time_of_day_ns);

 private:
  std::optional<int64_t> first_ns_;
  int64_t now_ns_ = 0;
  int64_t days_ns_ = 0;
};

// Numbers the paths, and keeps events within the limits that a TraceSink asks for.
class EventWriter {
 public:
  explicit EventWriter(TraceSink& sink) : sink_(sink) {}

  // Does nothing when called again.
  Result<void> begin(std::string_view dialect, int64_t began_unix_ns = 0);
  Result<uint32_t> number_of(std::string_view path);
  // Adds the event with its path. False if its time or place is beyond the limits.
  Result<bool> add(std::string_view path, Event event);
  // The same for dialects that tell no times: each comes a microsecond after the one before.
  Result<bool> add_in_order(std::string_view path, Event event);

 private:
  TraceSink& sink_;
  bool has_begun_ = false;
  TextNumbers numbers_;
  int64_t order_ = 0;
};

// The unit in which block devices count, whatever their own sectors.
inline constexpr uint64_t kSectorBytes = 512;

// Whether the event is within the limits of TraceSink.
bool is_within_limits(const Event& event);

// Tables as bcc's tools print them: a line that names the columns, then one a row. One column may
// hold spaces (a program's name), and the last one all that is left (a path).
class ColumnTable {
 public:
  static constexpr size_t kMaxColumns = 16;

  // Nothing if the header has too many columns or lacks `spaced`, the column that may hold the
  // separator.
  static std::optional<ColumnTable> parse(std::string_view header, char separator,
                                          std::string_view spaced, bool last_is_path);
  bool has(std::string_view column) const { return index_of(column) < count_; }
  // Splits a row; false if it doesn't fit. What value() gives then is valid until the next call.
  bool split(std::string_view row);
  // Of the row split last; "" if there is no such column.
  std::string_view value(std::string_view column) const;

 private:
  size_t index_of(std::string_view column) const;
  bool split_fields(std::string_view row);
  bool part_time(std::string_view row);
  bool split_rest(std::string_view rest, size_t column);
  std::string_view take_field(std::string_view& text) const;

  std::string names_[kMaxColumns];
  std::string_view values_[kMaxColumns];
  size_t count_ = 0;
  size_t spaced_ = 0;
  char separator_ = ' ';
  bool last_is_path_ = false;
  size_t decimals_ = 0;  // of "TIME(s)", in the row before
  std::string parted_;   // the row, if it had to be parted
};

}  // namespace seekless

// Helps dialects that have one event on each line: reads and counts lines as every report needs,
// parses numbers and times, and writes events with paths by name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "packer/base/text_numbers.h"
#include "packer/host/files.h"
#include "packer/trace/dialect.h"
#include "packer/trace/event.h"
#include "packer/trace/internal/numbers.h"

namespace seekless {

enum class LastLine : uint8_t {
  // A last line without "\n" was cut short: it is dropped, with a warning.
  must_end,
  // A person wrote the list, so its last "\n" may be missing.
  may_end,
};

// Hands each non-empty line to `take`, which returns true if it understood the line; the report
// counts the others. Fails only if the stream or `take` does.
Result<void> for_each_line(ByteStream& stream, LastLine last, ImportReport& report,
                           const std::function<Result<bool>(std::string_view)>& take);

// Takes the first line off the front, and returns it without its line end.
std::string_view take_line(std::string_view& front);

// Returns true if at least nine in ten of the front's whole lines, and at least one, satisfy
// `is_alike`. The first `kPreambleLines` may be anything as long as a matching line follows.
bool most_lines(std::string_view front, bool (*is_alike)(std::string_view));
// Returns the first matching line among the front's first `kPreambleLines`; "" if there is none.
inline constexpr size_t kPreambleLines = 8;
std::string_view find_line(std::string_view front, bool (*is_alike)(std::string_view));

// Parses "12.345678" units of `unit_ns` each: 1'000'000'000 for seconds. Returns nothing if it is
// no such number, or beyond kTimeLimitNs.
std::optional<int64_t> parse_decimal_ns(std::string_view text, int64_t unit_ns);
// Parses seconds since 1970, at most until 2262.
std::optional<int64_t> parse_unix_ns(std::string_view text);
// Parses "02:12:11.404376" to the time since midnight.
std::optional<int64_t> parse_time_of_day_ns(std::string_view text);
// Takes the next word, and the spaces before it, off the front; returns "" at the end.
std::string_view take_word(std::string_view& text);

// Turns times of day into the time since the first one, and continues past midnight.
class DayClock {
 public:
  int64_t since_first_ns(int64_t time_of_day_ns);

 private:
  std::optional<int64_t> first_ns_;
  int64_t now_ns_ = 0;
  int64_t days_ns_ = 0;
};

// Numbers the paths, and drops events beyond TraceSink's limits.
class EventWriter {
 public:
  explicit EventWriter(TraceSink& sink) : sink_(sink) {}

  // Does nothing when called again.
  Result<void> begin(std::string_view dialect, int64_t began_unix_ns = 0);
  Result<uint32_t> number_of(std::string_view path);
  // Adds the event with its path. Returns false if its time or offset is beyond the limits.
  Result<bool> add(std::string_view path, Event event);
  // Adds an event without a time: it comes a microsecond after the previous event.
  Result<bool> add_in_order(std::string_view path, Event event);

 private:
  TraceSink& sink_;
  bool has_begun_ = false;
  TextNumbers numbers_;
  int64_t order_ = 0;
};

// Block devices count in this unit, whatever their own sector size.
inline constexpr uint64_t kSectorBytes = 512;

// Returns true if the event is within the limits of TraceSink.
bool is_within_limits(const Event& event);

// Splits tables as bcc's tools print them: a line with the columns' names, then one line for each
// row. One column may hold spaces (a program's name), and the last one takes the rest of the line
// (a path).
class ColumnTable {
 public:
  static constexpr size_t kMaxColumns = 16;

  // Returns nothing if the header has too many columns, or lacks `spaced`, the column whose values
  // may hold spaces.
  static std::optional<ColumnTable> parse(std::string_view header, char separator,
                                          std::string_view spaced, bool last_is_path);
  bool has(std::string_view column) const { return index_of(column) < count_; }
  // Splits a row; returns false if it doesn't fit. Results of value() are then valid until the next
  // call.
  bool split(std::string_view row);
  // Returns a field of the row split last; returns "" if there is no such column.
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
  size_t decimals_ = 0;  // decimals of "TIME(s)" in the previous row
  std::string parted_;   // the row, if a space had to be inserted
};

}  // namespace seekless

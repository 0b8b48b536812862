#include "packer/words/figures.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {
namespace {

constexpr double kNotable = 1.05;  // players don't notice smaller changes

// Writes a number below 1000 with `digits` digits in total: "9.87", "98.7", "987".
std::string with_digits(double number, int digits) {
  const int decimals = number < 10 ? digits - 1 : number < 100 ? digits - 2 : digits - 3;
  return fmt::format("{:.{}f}", number, decimals);
}

// Divides by 1000 until the rounded number is below 1000; counts the divisions in `unit`.
double scale_down(double number, size_t& unit, size_t units) {
  for (unit = 0; number >= 999.5 && unit + 1 < units; ++unit) number /= 1000;
  return number;
}

std::string short_number(double number) {
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  const double scaled = scale_down(number, unit, kSuffixes.size());
  if (scaled >= 999.5) return fmt::format("{:.0e}", number);
  return with_digits(scaled, 3) + std::string(kSuffixes[unit]);
}

std::string bytes_with_digits(uint64_t bytes, int digits) {
  constexpr std::array<std::string_view, 7> kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  size_t unit = 0;
  const double scaled = scale_down(static_cast<double>(bytes), unit, kUnits.size());
  return fmt::format("{} {}", with_digits(scaled, digits), kUnits[unit]);
}

std::string times_text(double times) {
  return number_cell(times, times < 100 ? 1 : 0);
}

}  // namespace

double duration_or_zero(double seconds) {
  return std::isfinite(seconds) && seconds > 0 ? seconds : 0;
}

std::optional<double> ratio(double dividend, double divisor) {
  if (!(divisor > 0)) return std::nullopt;
  const double quotient = dividend / divisor;
  return std::isfinite(quotient) ? std::optional(quotient) : std::nullopt;
}

double padding_percent(uint64_t padding_bytes, uint64_t file_bytes) {
  const auto share = ratio(static_cast<double>(padding_bytes), static_cast<double>(file_bytes));
  return 100 * share.value_or(0);
}

std::string megabyte_cell(uint64_t bytes) {
  return number_cell(megabytes(bytes), 1);
}

std::string number_word(uint64_t number) {
  constexpr std::array<std::string_view, 13> kWords = {"No",   "One",    "Two",   "Three", "Four",
                                                       "Five", "Six",    "Seven", "Eight", "Nine",
                                                       "Ten",  "Eleven", "Twelve"};
  return number < kWords.size() ? std::string(kWords[number]) : grouped(number);
}

std::string comparison(double before_seconds, double after_seconds) {
  const auto less = ratio(before_seconds, after_seconds);
  const auto more = ratio(after_seconds, before_seconds);
  if (!less || !more) return "";
  if (*less >= kNotable) return fmt::format(": {} times less", times_text(*less));
  if (*more >= kNotable) return fmt::format(": {} times more", times_text(*more));
  return ": about the same";
}

std::string grouped(uint64_t number) {
  std::string text = fmt::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string grouped_count(uint64_t number, std::string_view one, std::string_view several) {
  if (number == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", grouped(number), one)
                         : fmt::format("{} {}", grouped(number), several);
}

std::string count_cell(uint64_t number) {
  return number < 100'000 ? grouped(number) : short_number(static_cast<double>(number));
}

std::string number_cell(double number, int decimals) {
  if (!(number < 99'999.5)) return short_number(number);
  if (number < 9'999.5 && decimals > 0) return fmt::format("{:.{}f}", number, decimals);
  return grouped(static_cast<uint64_t>(std::llround(number)));
}

int decimals_for(double greatest) {
  if (greatest < 1) return 3;
  if (greatest < 100) return 2;
  return greatest < 1000 ? 1 : 0;
}

double seconds_of_ns(uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

std::string seconds_text(double seconds) {
  if (seconds >= 99'999.5) return short_number(seconds) + " s";
  if (seconds >= 99.95) return grouped(static_cast<uint64_t>(std::llround(seconds))) + " s";
  if (seconds >= 0.9995 || seconds == 0)
    return fmt::format("{:.{}f} s", seconds, seconds == 0 ? 0 : 1);
  // Shows two significant digits. Below 1 ms, even the sum of many such times isn't noticed.
  const int decimals = seconds >= 0.0995 ? 2 : seconds >= 0.00995 ? 3 : seconds >= 0.000995 ? 4 : 5;
  return fmt::format("{:.{}f} s", seconds, decimals);
}

std::array<std::string, 2> seconds_texts(double one, double other) {
  std::array<std::string, 2> texts = {seconds_text(one), seconds_text(other)};
  constexpr int kMicroseconds = 6;
  for (int decimals = 1; texts[0] == texts[1] && one != other && decimals <= kMicroseconds;
       ++decimals)
    texts = {fmt::format("{:.{}f} s", one, decimals), fmt::format("{:.{}f} s", other, decimals)};
  return texts;
}

std::string bytes_text(uint64_t bytes) {
  return bytes_with_digits(bytes, 3);
}

std::string place_text(uint64_t position_bytes) {
  return bytes_with_digits(position_bytes, 4);
}

std::string read_size_text(uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return bytes_text(bytes);
  double scaled = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; scaled >= 1023.5 && unit + 1 < kUnits.size(); ++unit) scaled /= 1024;
  const bool whole = scaled >= 10 || scaled == std::floor(scaled);
  return fmt::format("{:.{}f} {}", scaled, whole ? 0 : 1, kUnits[unit]);
}

}  // namespace seekless

// Computes ratios, and formats numbers. Numbers in tables take at most six characters, so twelve of
// them fit 80 columns. Numbers in sentences include their unit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless {

// Returns the measured seconds, or 0 if they can't be a duration (negative, infinite, not a
// number).
double duration_or_zero(double seconds);

// Returns none if the divisor is 0 or the ratio isn't finite.
std::optional<double> ratio(double dividend, double divisor);

// Returns the padding in percent of the file; 0 for an empty file.
double padding_percent(uint64_t padding_bytes, uint64_t file_bytes);

// Returns ": 4.6 times less", or another comparison of the seconds, for the end of a sentence.
std::string comparison(double before_seconds, double after_seconds);

// Returns "Seven", "13" and so on, for the beginning of a sentence.
std::string number_word(uint64_t number);

// Writes a number with commas: "20,312".
std::string grouped(uint64_t number);
// Returns "1 read" or "20,312 reads". Pass `several` for irregular plurals.
std::string grouped_count(uint64_t number, std::string_view one, std::string_view several = {});

// Formats a count for a table's cell: "20,312"; from 100,000 on "123k", "1.23M" and so on.
std::string count_cell(uint64_t number);

// Formats a number for a table's cell, with `decimals` decimals below 10,000, none below 100,000,
// and as "123k" from there on.
std::string number_cell(double number, int decimals);

// Returns megabytes such as "20.3".
std::string megabyte_cell(uint64_t bytes);

// Returns how many decimals a table's column needs to show `greatest` with at least three digits.
int decimals_for(double greatest);

double seconds_of_ns(uint64_t ns);
// Formats a time for a sentence, with three or four digits: "0.25 s", "14.2 s", "1,234 s".
std::string seconds_text(double seconds);
// Formats two times for one sentence, with enough digits to tell them apart.
std::array<std::string, 2> seconds_texts(double one, double other);
// Returns a size in decimal units: "980 kB", "12.3 MB", "4.56 GB".
std::string bytes_text(uint64_t bytes);
// Returns a place on a drive with four digits: "412.3 GB".
std::string place_text(uint64_t position_bytes);
// Formats the size of a read, which is a power of two: "16 KiB", "2 MiB".
std::string read_size_text(uint64_t bytes);

}  // namespace seekless

// Computes ratios, and formats numbers. Numbers in tables take at most six characters, so that
// twelve of them fit 80 columns; those in sentences include their unit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless {

// Returns measured seconds; 0 for a value that can't be a duration (negative, infinite, no number).
double duration_or_zero(double seconds);

// Returns none if the divisor is 0 or the ratio isn't finite.
std::optional<double> ratio(double dividend, double divisor);

// Returns the padding in percent of the file; 0 for an empty file.
double padding_percent(uint64_t padding_bytes, uint64_t file_bytes);

// Returns ": 4.6 times less", or another comparison of the seconds, for the end of a sentence.
std::string comparison(double before_seconds, double after_seconds);

// Returns "Seven", "13" and so on, for the beginning of a sentence.
std::string number_word(uint64_t number);

// Returns a number such as "20,312".
std::string grouped(uint64_t number);
// Returns "1 read", "20,312 reads"; `several` is for words whose plural isn't made with an s.
std::string grouped_count(uint64_t number, std::string_view one, std::string_view several = {});

// For a table's cell: "20,312", from 100,000 on "123k", "1.23M", ...
std::string count_cell(uint64_t number);

// For a table's cell: `decimals` after the point, none from 10,000 on; "123k" from 100,000 on.
std::string number_cell(double number, int decimals);

// Returns megabytes such as "20.3".
std::string megabyte_cell(uint64_t bytes);

// Returns the decimals for a column of cells whose greatest number is `greatest`, for at least
// three digits.
int decimals_for(double greatest);

double seconds_of_ns(uint64_t ns);
// For a sentence, with three or four digits: "0.25 s", "14.2 s", "1,234 s".
std::string seconds_text(double seconds);
// Formats two times for one sentence, with enough digits to tell different ones apart.
std::array<std::string, 2> seconds_texts(double one, double other);
// Returns a size in decimal units: "980 kB", "12.3 MB", "4.56 GB".
std::string bytes_text(uint64_t bytes);
// Returns a place on a drive with four digits: "412.3 GB".
std::string place_text(uint64_t position_bytes);
// Reads have sizes that are powers of two: "16 KiB", "2 MiB".
std::string read_size_text(uint64_t bytes);

}  // namespace seekless

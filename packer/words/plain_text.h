// Text from outside (names, sentences) made fit for a terminal, a page or JSON: valid UTF-8, no
// control characters, and a known width in columns. Knows nothing of the process's locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// The text with U+FFFD for what isn't UTF-8; control characters stay.
std::string valid_utf8(std::string_view text);

// What a terminal may be given, line by line: control characters but line ends, those that turn the
// direction of writing or end a line in other ways, and what isn't UTF-8, byte for byte as \xNN.
std::string printable(std::string_view text);

// One line that can't move the cursor or turn the direction of writing: control characters as
// \xNN, the others that would do so and what isn't UTF-8 as U+FFFD.
std::string clean_line(std::string_view text);

// Columns that clean text takes on a terminal: East Asian characters two, combining marks none.
size_t columns_of(std::string_view clean_text);

// Clean text of at most `columns` (1 or more); what is too long loses its middle to an ellipsis,
// because names differ in their first and last parts.
std::string cut_middle(std::string_view clean_text, size_t columns);

// The same for names that are shown together: where the middle is what tells two apart, it stays.
std::vector<std::string> cut_names(const std::vector<std::string>& clean_names, size_t columns);

// The same as cells of a table's first column, all as wide: 8 columns or more, but no more than
// `most`.
std::vector<std::string> name_cells(const std::vector<std::string>& clean_names, size_t most);

// For tables of an answer: so many rows; more are told as a count.
inline constexpr size_t kMostTableRows = 40;
// "and 12 more; --json has them all", or nothing.
std::string more_rows(size_t count);

// Clean text with spaces to `columns`; longer text stays as it is.
std::string pad_right(std::string_view clean_text, size_t columns);
std::string pad_left(std::string_view clean_text, size_t columns);

// Clean text in lines of at most `columns` (2 or more), broken at spaces, and within words that
// don't fit a line. A number stays with its unit.
std::vector<std::string> wrap(std::string_view clean_text, size_t columns);

// The text, cleaned and wrapped; every line ends.
std::string paragraph(std::string_view text, size_t columns);

// What a table takes of a terminal: 80 columns or more, but no more than the eye can follow.
size_t table_columns(size_t terminal_columns);

// An answer's lines for a terminal of `columns`: sentences that are too long go on in the next
// line, indented as they began. Rows of tables and words that don't fit a line (paths) stay whole.
std::string fit_lines(std::string_view text, size_t columns);

// Any text, cleaned, for an HTML element or a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace seekless

// Makes external text (names, sentences) safe for a terminal, a page or JSON: valid UTF-8, no
// control characters, and a known width in columns. It ignores the process's locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Returns the text with U+FFFD in place of malformed UTF-8; control characters stay.
std::string valid_utf8(std::string_view text);

// Returns text that is safe for a terminal, line by line. It writes these bytes as \xNN: malformed
// UTF-8, control characters except line ends, and characters that end a line in other ways or
// change the direction of writing.
std::string printable(std::string_view text);

// Returns one line that can't move the cursor or change the direction of writing. Control
// characters become \xNN; malformed UTF-8 and other such characters become U+FFFD.
std::string clean_line(std::string_view text);

// Returns the number of columns that clean text takes on a terminal: an East Asian character takes
// two, a combining mark none.
size_t columns_of(std::string_view clean_text);

// Shortens clean text to at most `columns` (1 or more), by replacing the middle of a long text with
// an ellipsis: names mostly differ in their first and last parts.
std::string cut_middle(std::string_view clean_text, size_t columns);

// Shortens names that are shown together. If two names differ only in their middles, the middles
// stay.
std::vector<std::string> cut_names(const std::vector<std::string>& clean_names, size_t columns);

// Shortens names in the same way for a table's first column, and pads them to one width: at least 8
// columns, and at most `most`.
std::vector<std::string> name_cells(const std::vector<std::string>& clean_names, size_t most);

// A table in an answer has at most this many rows; further ones are only counted.
inline constexpr size_t kMostTableRows = 40;
// Returns "and 12 more; --json has them all", or an empty text.
std::string more_rows(size_t count);

// Pads clean text with spaces to `columns`; longer text stays as it is.
std::string pad_right(std::string_view clean_text, size_t columns);
std::string pad_left(std::string_view clean_text, size_t columns);

// Breaks clean text into lines of at most `columns` (2 or more), at spaces, and within words that
// don't fit a line. A number stays with its unit.
std::vector<std::string> wrap(std::string_view clean_text, size_t columns);

// Cleans and wraps the text; every line ends with a line end.
std::string paragraph(std::string_view text, size_t columns);

// Returns the width for tables on a terminal: at least 80 columns, but no more than the eye can
// follow.
size_t table_columns(size_t terminal_columns);

// Wraps an answer's lines for a terminal of `columns`. A sentence that is too long continues in the
// next line with the same indentation. Rows of tables and words longer than a line (paths) stay
// whole.
std::string fit_lines(std::string_view text, size_t columns);

// Makes any text safe inside an HTML element or a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace seekless

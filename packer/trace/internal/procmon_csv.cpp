// Reads Process Monitor's log, saved as CSV. The line of the columns' names is in English in every
// locale; PowerShell ("#TYPE ...") and Excel ("sep=;") may add a line before it. A row covers
// several lines if a quoted field holds line ends. A quote that is never closed loses only its own
// line, because a line that is a complete row starts a new one.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/lines.h"
#include "packer/trace/internal/text_dialect.h"
#include "packer/trace/procmon_events.h"

namespace seekless {
namespace {

constexpr size_t kRowLimitBytes = size_t{1} << 16;  // limit of a row that covers several lines
constexpr size_t kColumnLimit = 256;
// An error shows this much of a first line that isn't Process Monitor's.
constexpr size_t kShownOfFirstLineBytes = 80;

struct CsvColumn {
  std::string_view name;
  std::string_view ProcmonRow::*field;
  bool is_needed;
};
constexpr std::array kColumns = {
    CsvColumn{"Time of Day", &ProcmonRow::time_of_day, true},
    CsvColumn{"PID", &ProcmonRow::pid, true},
    CsvColumn{"TID", &ProcmonRow::tid, false},
    CsvColumn{"Operation", &ProcmonRow::operation, true},
    CsvColumn{"Path", &ProcmonRow::path, true},
    CsvColumn{"Result", &ProcmonRow::result, true},
    CsvColumn{"Detail", &ProcmonRow::detail, true},
    CsvColumn{"Duration", &ProcmonRow::duration, false},
};

constexpr size_t kOperation = 3;
constexpr size_t kPathColumn = 4;
static_assert(kColumns[kOperation].name == "Operation" && kColumns[kPathColumn].name == "Path");

// Cuts a row into fields; `unquoted` holds fields that had doubled quotes.
class Fields {
 public:
  bool split(std::string_view row, char separator) {
    fields_.clear();
    unquoted_.clear();
    unquoted_.reserve(row.size());
    for (;;) {
      if (fields_.size() == kColumnLimit) return false;
      if (row.empty() || row[0] != '"') {
        const size_t end = row.find(separator);
        fields_.push_back(row.substr(0, end));
        if (end == std::string_view::npos) return true;
        row.remove_prefix(end + 1);
        continue;
      }
      if (!take_quoted(row)) return false;
      if (row.empty()) return true;
      if (row[0] != separator) return false;
      row.remove_prefix(1);
    }
  }
  const std::vector<std::string_view>& all() const { return fields_; }

 private:
  bool take_quoted(std::string_view& row) {
    size_t end = row.find('"', 1);
    if (end == std::string_view::npos) return false;
    if (end + 1 == row.size() || row[end + 1] != '"') {
      fields_.push_back(row.substr(1, end - 1));
      row.remove_prefix(end + 1);
      return true;
    }
    const size_t begin = unquoted_.size();
    row.remove_prefix(1);
    for (;;) {
      end = row.find('"');
      if (end == std::string_view::npos) return false;
      unquoted_ += row.substr(0, end);
      row.remove_prefix(end + 1);
      if (row.empty() || row[0] != '"') break;
      unquoted_ += '"';
      row.remove_prefix(1);
    }
    fields_.push_back(std::string_view(unquoted_).substr(begin));
    return true;
  }

  std::vector<std::string_view> fields_;
  std::string unquoted_;  // keeps within its reserved size, so views into it stay valid
};

struct Columns {
  char separator = ',';
  size_t count = 0;
  std::array<size_t, kColumns.size()> places{};  // SIZE_MAX if there is no such column
  std::string missing;
  std::string_view names;

  // Returns true if the header is Process Monitor's, even if a column is missing.
  bool are_procmons() const {
    return places[kOperation] != SIZE_MAX && places[kPathColumn] != SIZE_MAX;
  }

  // Returns true if there are at least three columns, each with a quoted name; a row of numbers
  // fails this.
  bool has_names() const {
    Fields fields;
    return count >= 3 && names.starts_with('"') && fields.split(names, separator) &&
           std::none_of(fields.all().begin(), fields.all().end(), [](std::string_view name) {
             return name.empty() || (name[0] >= '0' && name[0] <= '9');
           });
  }

  // `told` is the separator named by a preceding line; 0 if there is none.
  Columns(std::string_view header, char told) : names(header) {
    const size_t found = header.find_first_of(",;\t");
    if (told != 0)
      separator = told;
    else if (found != std::string_view::npos)
      separator = header[found];
    Fields fields;
    places.fill(SIZE_MAX);
    if (fields.split(header, separator)) {
      count = fields.all().size();
      for (size_t c = 0; c < kColumns.size(); ++c) {
        const auto at = std::find(fields.all().begin(), fields.all().end(), kColumns[c].name);
        if (at != fields.all().end()) places[c] = static_cast<size_t>(at - fields.all().begin());
      }
    }
    for (size_t c = 0; c < kColumns.size(); ++c)
      if (places[c] == SIZE_MAX && kColumns[c].is_needed)
        missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", kColumns[c].name);
  }
};

// Returns the separator that a first line names for Excel, perhaps in quotes: "sep=;".
char separator_of(std::string_view line) {
  constexpr std::string_view kFront = "sep=";
  if (line.size() > 2 && line.starts_with('"') && line.ends_with('"'))
    line = line.substr(1, line.size() - 2);
  return line.size() == kFront.size() + 1 && line.starts_with(kFront) ? line.back() : '\0';
}

// Finds the header among the front's lines. If there is none, uses the first line, so that an error
// can name the missing columns. Null if there is no line at all.
class CsvHeading {
 public:
  // Returns false once the header is known.
  bool take(std::string_view line) {
    if (line.empty()) return true;
    if (const char told = separator_of(line); told != 0) {
      separator_ = told;
      return true;
    }
    const Columns found(line, separator_);
    if (!columns_ || found.are_procmons()) {
      names_ = line;
      columns_.emplace(names_, separator_);
    }
    return !columns_->are_procmons() && ++lines_ < kPreambleLines;
  }
  const std::optional<Columns>& columns() const { return columns_; }

 private:
  char separator_ = '\0';
  size_t lines_ = 0;
  std::string names_;  // the columns point into it
  std::optional<Columns> columns_;
};

bool has_open_quote(std::string_view text) {
  return std::count(text.begin(), text.end(), '"') % 2 != 0;
}

// Reads rows; quotes may join several lines into one row.
class RowReader {
 public:
  explicit RowReader(ByteStream& text) : lines_(text) {}
  uint64_t lines() const { return lines_.lines(); }

  // `columns` is null for the first row. Returns false at the end of the stream.
  Result<bool> next(Line& row, const Columns* columns) {
    if (!has_next_) {
      const auto more = lines_.next(next_);
      if (!more || !*more) return more;
    }
    has_next_ = false;
    row = next_;
    if (columns == nullptr || row.is_cut || !row.is_ended || !has_open_quote(row.text)) return true;
    return join(row, *columns);
  }

 private:
  Result<bool> join(Line& row, const Columns& columns) {
    joined_ = row.text;
    const size_t front_bytes = joined_.size();
    bool is_closed = false;
    while (!is_closed && joined_.size() <= kRowLimitBytes) {
      const auto more = lines_.next(next_);
      if (!more) return more;
      if (!*more) {
        row.is_ended = false;
        break;
      }
      has_next_ = is_row(next_, columns);
      if (has_next_) break;
      joined_ += '\n';
      joined_ += next_.text;
      row.is_ended = next_.is_ended;
      row.is_cut = next_.is_cut;
      is_closed = next_.is_cut || has_open_quote(next_.text);
    }
    row.text = std::string_view(joined_).substr(0, is_closed ? joined_.size() : front_bytes);
    return true;
  }

  bool is_row(const Line& line, const Columns& columns) {
    return !line.is_cut && line.text.starts_with('"') &&
           fields_.split(line.text, columns.separator) && fields_.all().size() == columns.count &&
           columns.count > 1;
  }

  LineReader lines_;
  Line next_;
  bool has_next_ = false;  // next_ was read ahead and not given out yet
  std::string joined_;
  Fields fields_;
};

bool recognise_procmon_csv(std::string_view front) {
  CsvHeading heading;
  front = front.substr(0, size_t{4} << 10);
  while (!front.empty() && heading.take(take_line(front))) continue;
  // Recognises even a header that lacks a column, so that parsing can name the missing one. The
  // same goes for another tool's CSV with quotes like Process Monitor's.
  const auto& columns = heading.columns();
  return columns && (columns->are_procmons() || columns->has_names());
}

Result<void> parse_procmon_csv(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                               ImportReport& report) {
  RowReader rows(stream);
  Line row;
  CsvHeading heading;
  Result<bool> more = true;
  while ((more = rows.next(row, nullptr)) && *more && heading.take(row.text)) continue;
  if (!more) return std::unexpected(more.error());
  const Columns columns = heading.columns().value_or(Columns({}, '\0'));
  if (!columns.missing.empty())
    return damaged({.file = stream.name(),
                    .place = "the line that names the columns",
                    .expected = "the names of Process Monitor's columns",
                    .found = fmt::format("none called {} in '{}'", columns.missing,
                                         columns.names.substr(0, kShownOfFirstLineBytes)),
                    .advice = "if the log is Process Monitor's, show these columns in it (Options, "
                              "Select Columns) and save the log again"});
  SKL_TRY_DO(sink.begin({.dialect = "procmon-csv"}));
  ProcmonEvents events(sink, report);
  Fields fields;
  while ((more = rows.next(row, &columns)) && *more) {
    if (row.text.empty()) continue;
    bool is_understood = !row.is_cut && fields.split(row.text, columns.separator) &&
                         fields.all().size() == columns.count;
    if (is_understood) {
      ProcmonRow values;
      for (size_t c = 0; c < kColumns.size(); ++c)
        if (columns.places[c] != SIZE_MAX)
          values.*kColumns[c].field = fields.all()[columns.places[c]];
      SKL_TRY(const auto done, events.row(values));
      is_understood = done;
    }
    if (is_understood) continue;
    if (row.is_ended)
      report.add_unparsed(row.number, row.text);
    else
      report.warnings.push_back(fmt::format(
          "{}: line {}: the last row is cut short, and is left out", stream.name(), row.number));
  }
  if (!more) return std::unexpected(more.error());
  report.lines = rows.lines();
  return events.finish(stream.name());
}

}  // namespace

const Dialect kProcmonCsvDialect = {
    "procmon-csv", "Process Monitor's CSV: \"Time of Day\",\"Process Name\",\"PID\",...",
    recognise_procmon_csv, parse_procmon_csv,
    "let ReadFile through Process Monitor's filter to have what is read of them"};

}  // namespace seekless

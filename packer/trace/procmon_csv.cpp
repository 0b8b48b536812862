// Columns are found by the names in the first line, which Process Monitor writes in English in
// every locale; a row goes over several lines where a quoted field holds line ends.
#include "packer/trace/procmon_csv.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "packer/trace/lines.h"
#include "packer/trace/procmon_events.h"
#include "packer/trace/utf8_stream.h"

namespace seekless {
namespace {

constexpr size_t kRowLimitBytes = size_t{1} << 16;  // of a row that goes over several lines
constexpr size_t kColumnLimit = 256;

struct Column {
  std::string_view name;
  std::string_view ProcmonRow::*field;
  bool is_needed;
};
constexpr std::array kColumns = {
    Column{"Time of Day", &ProcmonRow::time_of_day, true},
    Column{"PID", &ProcmonRow::pid, true},
    Column{"TID", &ProcmonRow::tid, false},
    Column{"Operation", &ProcmonRow::operation, true},
    Column{"Path", &ProcmonRow::path, true},
    Column{"Result", &ProcmonRow::result, true},
    Column{"Detail", &ProcmonRow::detail, true},
    Column{"Duration", &ProcmonRow::duration, false},
};

// Cuts a row into fields; `unquoted` keeps those that had doubled quotes.
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
  std::string unquoted_;  // never outgrows what is reserved, so views into it stay
};

struct Columns {
  char separator = ',';
  size_t count = 0;
  std::array<size_t, kColumns.size()> places{};  // SIZE_MAX where there is none
  std::string missing;

  explicit Columns(std::string_view header) {
    const size_t found = header.find_first_of(",;\t");
    if (found != std::string_view::npos) separator = header[found];
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

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool has_open_quote(std::string_view text) {
  return std::count(text.begin(), text.end(), '"') % 2 != 0;
}

// A row, of as many lines as its quotes hold together. False at the end of the stream.
Result<bool> next_row(LineReader& lines, Line& row, std::string& joined) {
  auto more = lines.next(row);
  if (!more || !*more || row.is_cut || !row.is_ended || !has_open_quote(row.text)) return more;
  joined = row.text;
  Line line;
  const uint64_t number = row.number;
  while (joined.size() <= kRowLimitBytes) {
    more = lines.next(line);
    if (!more) return more;
    if (!*more) break;
    joined += '\n';
    joined += line.text;
    row = line;
    if (line.is_cut || has_open_quote(line.text)) break;
  }
  row.number = number;
  row.text = joined;
  if (!*more) row.is_ended = false;
  return true;
}

}  // namespace

bool recognise_procmon_csv(std::string_view front) {
  const std::string text = utf8_front(front.substr(0, size_t{4} << 10));
  const Columns columns(without_end(std::string_view(text).substr(0, text.find('\n'))));
  // One that lacks a column is recognised too, so that parsing can name what is missing.
  const auto is_there = [&](size_t c) { return columns.places[c] != SIZE_MAX; };
  return is_there(3) && is_there(4) && (is_there(0) || is_there(6));
}

Result<void> parse_procmon_csv(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                               ImportReport& report) {
  Utf8Stream text(stream);
  LineReader lines(text);
  Line row;
  std::string joined;
  auto more = next_row(lines, row, joined);
  if (!more) return std::unexpected(more.error());
  const Columns columns(row.text);
  if (!*more || !columns.missing.empty())
    return damaged({.file = stream.name(),
                    .place = "line 1",
                    .expected = "the names of Process Monitor's columns",
                    .found = "none called " + columns.missing,
                    .advice = "show these columns in Process Monitor and save the log again"});
  if (auto begun = sink.begin({.dialect = "procmon-csv"}); !begun) return begun;
  ProcmonEvents events(sink, report);
  Fields fields;
  while ((more = next_row(lines, row, joined)) && *more) {
    if (row.text.empty()) continue;
    bool is_understood = !row.is_cut && fields.split(row.text, columns.separator) &&
                         fields.all().size() == columns.count;
    if (is_understood) {
      ProcmonRow values;
      for (size_t c = 0; c < kColumns.size(); ++c)
        if (columns.places[c] != SIZE_MAX)
          values.*kColumns[c].field = fields.all()[columns.places[c]];
      const auto done = events.row(values);
      if (!done) return std::unexpected(done.error());
      is_understood = *done;
    }
    if (is_understood) continue;
    if (row.is_ended)
      report.add_unparsed(row.number, row.text);
    else
      report.warnings.push_back(fmt::format(
          "{}: line {}: the last row is cut short, and is left out", stream.name(), row.number));
  }
  if (!more) return std::unexpected(more.error());
  report.lines = lines.lines();
  return events.finish(stream.name());
}

}  // namespace seekless

// Reads the output of inotifywait -m: its default form, CSV (-c), a format with a time of day or
// seconds since 1970 in front, or one with the events after the whole path:
//     /g/ OPEN a.pak
//     /g/,"CLOSE_NOWRITE,CLOSE",a.pak
//     1447208931 /g/a.pak ACCESS
// It reports files, but neither offsets nor processes (accesses.h). Folders (ISDIR) are skipped,
// and so are inotifywait's own messages, such as "Watches established.".
#include <algorithm>
#include <array>

#include "packer/trace/internal/accesses.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

struct Happening {
  std::string_view name;
  char kind;  // a letter of AccessLine::kinds
};
constexpr std::array kHappenings = {
    Happening{"ACCESS", 'R'},      Happening{"OPEN", 'O'},       Happening{"CLOSE_NOWRITE", 'C'},
    Happening{"CLOSE_WRITE", 'C'}, Happening{"CLOSE", 'C'},      Happening{"MODIFY", 'W'},
    Happening{"ATTRIB", 'C'},      Happening{"CREATE", 'C'},     Happening{"DELETE", 'C'},
    Happening{"DELETE_SELF", 'C'}, Happening{"MOVED_FROM", 'C'}, Happening{"MOVED_TO", 'C'},
    Happening{"MOVE", 'C'},        Happening{"MOVE_SELF", 'C'},  Happening{"UNMOUNT", 'C'},
    Happening{"IGNORED", 'C'},     Happening{"Q_OVERFLOW", 'C'}, Happening{"ISDIR", 'D'},
};

// Reads events such as "CLOSE_NOWRITE,CLOSE", perhaps in quotes.
bool take_happenings(std::string_view text, std::string& kinds) {
  kinds.clear();
  if (text.size() > 2 && text.starts_with('"') && text.ends_with('"'))
    text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto* known = std::ranges::find(kHappenings, text.substr(0, comma), &Happening::name);
    if (known == kHappenings.end()) return false;
    kinds += known->kind;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return !kinds.empty();
}

void take_time(std::string_view& text, AccessLine& line) {
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  line.day_ns = parse_time_of_day_ns(word);
  if (!line.day_ns) line.unix_ns = parse_unix_ns(word);
  if (line.day_ns || line.unix_ns) text = rest.substr(rest.starts_with(' ') ? 1 : 0);
}

// Returns the end of the field at `at`. Commas within quotes belong to the field.
size_t end_of_field(std::string_view text, size_t at, char separator) {
  if (at < text.size() && text[at] == '"') {
    const size_t quote = text.find('"', at + 1);
    if (quote != std::string_view::npos) at = quote;
  }
  return std::min(text.find(separator, at), text.size());
}

bool begins_as_path(std::string_view path) {
  return path.starts_with('/') || path.starts_with("./") || path.starts_with("../");
}

// Splits a line. Its path ends where the events begin; the name of a file in that folder follows
// them.
bool split_by(char separator, std::string_view text, AccessLine& line) {
  for (size_t at = text.find(separator); at != std::string_view::npos && at > 0;
       at = text.find(separator, at + 1)) {
    const size_t end = end_of_field(text, at + 1, separator);
    if (!take_happenings(text.substr(at + 1, end - at - 1), line.kinds)) continue;
    const std::string_view name = text.substr(std::min(end + 1, text.size()));
    line.path = text.substr(0, at);
    if (!name.empty() && !line.path.ends_with('/')) line.path += '/';
    line.path += name;
    return true;
  }
  return false;
}

bool split_inotify_line(std::string_view text, AccessLine& line) {
  line = {};
  if (text == "Setting up watches." || text.starts_with("Setting up watches.  Beware:") ||
      text == "Watches established.") {
    line.kinds = "C";
    return true;
  }
  take_time(text, line);
  if (!begins_as_path(text)) return false;
  if (!split_by(' ', text, line) && !split_by(',', text, line)) return false;
  if (line.kinds.contains('D')) line.kinds = "D";
  return true;
}

bool is_inotify_line(std::string_view text) {
  AccessLine line;
  return split_inotify_line(text, line) && !line.path.empty();
}

bool recognise_inotifywait(std::string_view front) {
  return most_lines(front, is_inotify_line);
}

Result<void> parse_inotifywait(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                               ImportReport& report) {
  return parse_accesses(stream, "inotifywait", split_inotify_line, sink, report);
}

}  // namespace

const Dialect kInotifywaitDialect = {"inotifywait", "/g/ OPEN a.pak", recognise_inotifywait,
                                     parse_inotifywait};

}  // namespace seekless

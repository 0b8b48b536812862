// Reads fatrace's text, with times (-t: of day; -t -t: since 1970) or without, with users (-u):
//     02:12:11.404376 game(3937): O /g/a.pak
//     game(3937) [1000:1000]: RC /g/a.pak
// It tells files, not places: a file counts as read as a whole when it is opened (O), or at a
// read (R) by a process that wasn't seen to open it. Close (C), write (W) and events of folders
// (+ D < >) are passed over, and so is "device 8:2 inode 658203", a file without a name.
#include <algorithm>
#include <set>
#include <utility>

#include "packer/trace/text_dialect.h"
#include "packer/trace/text_dialects.h"

namespace seekless {
namespace {

struct AccessLine {
  std::optional<int64_t> unix_ns;
  std::optional<int64_t> day_ns;
  uint32_t process = 0;
  std::string_view kinds;
  std::string_view path;
};

bool take_times(std::string_view& text, AccessLine& line) {
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  // A program's name may be a number too, but isn't followed by a space then.
  if (word.empty() || word.front() < '0' || word.front() > '9' || word.ends_with(')')) return true;
  line.day_ns = parse_time_of_day_ns(word);
  if (!line.day_ns && word.find('.') != std::string_view::npos) line.unix_ns = parse_unix_ns(word);
  if (line.day_ns || line.unix_ns) text = rest.substr(rest.starts_with(' ') ? 1 : 0);
  return true;
}

// "(3937): " or "(3937) [1000:1000]: " behind the program's name; both may hold parentheses.
bool take_process(std::string_view& text, AccessLine& line) {
  for (size_t open = text.find('('); open != std::string_view::npos;
       open = text.find('(', open + 1)) {
    std::string_view rest = text.substr(open + 1);
    const size_t close = rest.find(')');
    if (close == std::string_view::npos) return false;
    const auto process = parse_whole_number(rest.substr(0, close));
    if (!process || *process > UINT32_MAX) continue;
    rest.remove_prefix(close + 1);
    if (rest.starts_with(" [")) rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    if (!rest.starts_with(": ")) continue;
    line.process = static_cast<uint32_t>(*process);
    text = rest.substr(2);
    return true;
  }
  return false;
}

bool split_access_line(std::string_view text, AccessLine& line) {
  line = {};
  if (!take_times(text, line) || !take_process(text, line)) return false;
  line.kinds = take_word(text);
  if (line.kinds.empty() || line.kinds.find_first_not_of("ORCW+D<>") != std::string_view::npos)
    return false;
  // Kinds are padded to three.
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  line.path = text;
  return !line.path.empty();
}

bool is_access_line(std::string_view text) {
  AccessLine line;
  return split_access_line(text, line) &&
         (line.path.front() == '/' || line.path.starts_with("device "));
}

class AccessParser {
 public:
  explicit AccessParser(TraceSink& sink) : writer_(sink) {}

  Result<bool> line(std::string_view text);
  Result<void> finish() { return writer_.begin("fatrace"); }

 private:
  Result<bool> add(const AccessLine& line, Event event);
  int64_t time_of(const AccessLine& line);

  EventWriter writer_;
  DayClock clock_;
  std::optional<int64_t> began_unix_ns_;
  std::set<std::pair<uint32_t, uint32_t>> opened_;  // process and path
};

int64_t AccessParser::time_of(const AccessLine& line) {
  if (line.unix_ns) {
    if (!began_unix_ns_) began_unix_ns_ = *line.unix_ns;
    return *line.unix_ns - *began_unix_ns_;
  }
  return line.day_ns ? clock_.since_first_ns(*line.day_ns) : 0;
}

Result<bool> AccessParser::line(std::string_view text) {
  AccessLine line;
  if (!split_access_line(text, line)) return false;
  if (auto begun = writer_.begin("fatrace", line.unix_ns.value_or(0)); !begun)
    return std::unexpected(begun.error());
  Event event;
  event.start_ns = time_of(line);
  event.process = event.thread = line.process;
  if (line.path.front() != '/') return line.path.starts_with("device ");
  const bool opens = line.kinds.find('O') != std::string_view::npos;
  const bool reads = line.kinds.find('R') != std::string_view::npos;
  const bool changes = line.kinds.find_first_of("W+D<>") != std::string_view::npos;
  if ((!opens && !reads) || (changes && !reads)) return true;
  const auto number = writer_.number_of(line.path);
  if (!number) return std::unexpected(number.error());
  const bool is_new = opened_.emplace(line.process, *number).second;
  if (!opens && !is_new) return true;
  if (opens) {
    event.kind = EventKind::open;
    if (auto added = add(line, event); !added || !*added) return added;
  }
  event.kind = EventKind::read;
  event.length_bytes = kWholeFile;
  return add(line, event);
}

Result<bool> AccessParser::add(const AccessLine& line, Event event) {
  return line.unix_ns || line.day_ns ? writer_.add(line.path, event)
                                     : writer_.add_in_order(line.path, event);
}

}  // namespace

bool recognise_fatrace(std::string_view front) {
  return most_lines(front, is_access_line);
}

Result<void> parse_fatrace(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                           ImportReport& report) {
  AccessParser parser(sink);
  auto parsed = for_each_line(stream, LastLine::must_end, report,
                              [&](std::string_view text) { return parser.line(text); });
  if (!parsed) return parsed;
  return parser.finish();
}

}  // namespace seekless

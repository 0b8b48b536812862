// Reads what fatrace prints, with times (-t: of day; -t -t: since 1970) or without, with users
// (-u), or as lines of JSON (--json):
//     02:12:11.404376 game(3937): O /g/a.pak
//     game(3937) [1000:1000]: RC /g/a.pak
//     {"timestamp":1447208931.404376,"comm":"game","pid":3937,"types":"O","path":"/g/a.pak"}
// It tells files, not places: a file counts as read as a whole when it is opened (O), or at a
// read (R) by a process that wasn't seen to open it. Close (C), write (W) and events of folders
// (+ D < >) are passed over, and so is "device 8:2 inode 658203", a file without a name.
#include <set>
#include <utility>

#include "packer/trace/fatrace_line.h"
#include "packer/trace/text_dialect.h"
#include "packer/trace/text_dialects.h"

namespace seekless {
namespace {

bool is_access_line(std::string_view text) {
  FatraceLine line;
  return split_fatrace_line(text, line);
}

class AccessParser {
 public:
  explicit AccessParser(TraceSink& sink) : writer_(sink) {}

  Result<bool> line(std::string_view text);
  Result<void> finish() { return writer_.begin("fatrace"); }

 private:
  Result<bool> add(const FatraceLine& line, Event event);
  int64_t time_of(const FatraceLine& line);

  EventWriter writer_;
  DayClock clock_;
  std::optional<int64_t> began_unix_ns_;
  std::set<std::pair<uint32_t, uint32_t>> opened_;  // process and path
};

int64_t AccessParser::time_of(const FatraceLine& line) {
  if (line.unix_ns) {
    if (!began_unix_ns_) began_unix_ns_ = *line.unix_ns;
    return *line.unix_ns - *began_unix_ns_;
  }
  return line.day_ns ? clock_.since_first_ns(*line.day_ns) : 0;
}

Result<bool> AccessParser::line(std::string_view text) {
  FatraceLine line;
  if (!split_fatrace_line(text, line)) return false;
  if (auto begun = writer_.begin("fatrace", line.unix_ns.value_or(0)); !begun)
    return std::unexpected(begun.error());
  Event event;
  event.start_ns = time_of(line);
  event.process = event.thread = line.process;
  if (line.path.empty()) return true;
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

Result<bool> AccessParser::add(const FatraceLine& line, Event event) {
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

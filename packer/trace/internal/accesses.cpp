#include "packer/trace/internal/accesses.h"

#include <set>
#include <utility>

#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

class AccessParser {
 public:
  AccessParser(TraceSink& sink, std::string_view dialect, SplitAccessLine split)
      : writer_(sink), dialect_(dialect), split_(split) {}

  Result<bool> line(std::string_view text);
  Result<void> finish() { return writer_.begin(dialect_); }

 private:
  Result<bool> add(const AccessLine& line, Event event);
  int64_t time_of(const AccessLine& line);

  EventWriter writer_;
  std::string_view dialect_;
  SplitAccessLine split_;
  DayClock clock_;
  std::optional<int64_t> began_unix_ns_;
  std::set<std::pair<uint32_t, uint32_t>> opened_;  // pairs of process and path
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
  if (!split_(text, line)) return false;
  SKL_TRY_DO(writer_.begin(dialect_, line.unix_ns.value_or(0)));
  Event event;
  event.start_ns = time_of(line);
  event.process = event.thread = line.process;
  if (line.path.empty()) return true;
  const bool opens = line.kinds.find('O') != std::string_view::npos;
  const bool reads = line.kinds.find('R') != std::string_view::npos;
  const bool changes = line.kinds.find_first_of("W+D<>") != std::string_view::npos;
  if ((!opens && !reads) || (changes && !reads)) return true;
  SKL_TRY(const auto number, writer_.number_of(line.path));
  const bool is_new = opened_.emplace(line.process, number).second;
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

Result<void> parse_accesses(ByteStream& stream, std::string_view dialect, SplitAccessLine split,
                            TraceSink& sink, ImportReport& report) {
  AccessParser parser(sink, dialect, split);
  auto parsed = for_each_line(stream, LastLine::must_end, report,
                              [&](std::string_view text) { return parser.line(text); });
  if (!parsed) return parsed;
  return parser.finish();
}

}  // namespace seekless

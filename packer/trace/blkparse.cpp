// Reads the usual text of `blkparse`, which lists the requests to a block device:
//     8,0    3        1     0.000000000   594  D   R 43781957 + 16 [game]
// A read is a line D (issued to the device) whose RWBS holds R; the line C (completed) of the same
// sector ends it. Stacked devices (dm, md) report a C without a D, which is a read by itself. The
// path is "/dev/block/8:0", Linux' name of a device by number; offsets are those on the device.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "packer/trace/event_window.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

// At most this many requests in flight are remembered; a device has a few thousand at most.
constexpr size_t kMaxInFlight = size_t{1} << 16;

struct BlockLine {
  uint64_t device = 0;  // major and minor
  int64_t time_ns = 0;
  uint32_t process = 0;
  char action = 0;
  std::string_view rwbs;
  uint64_t sector = 0;
  uint64_t sectors = 0;
  bool has_place = false;
};

std::optional<uint64_t> parse_device(std::string_view text) {
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto major = parse_whole_number(text.substr(0, comma));
  const auto minor = parse_whole_number(text.substr(comma + 1));
  if (!major || !minor || *major > UINT32_MAX || *minor > UINT32_MAX) return std::nullopt;
  return *major << 32 | *minor;
}

bool split_block_line(std::string_view text, BlockLine& line) {
  const auto device = parse_device(take_word(text));
  const auto cpu = parse_whole_number(take_word(text));
  const auto sequence = parse_whole_number(take_word(text));
  const auto time_ns = parse_decimal_ns(take_word(text), kSecondNs);
  const auto process = parse_id(take_word(text));
  const std::string_view action = take_word(text);
  if (!device || !cpu || !sequence || !time_ns || !process || action.empty() || action.size() > 2)
    return false;
  line.device = *device;
  line.time_ns = *time_ns;
  line.process = *process;
  line.action = action.size() == 1 ? action.front() : '\0';  // "UT" is an unplug by time
  line.rwbs = take_word(text);
  const auto sector = parse_number(take_word(text));
  line.has_place = take_word(text) == "+";
  if (!line.has_place) return true;
  const auto sectors = parse_number(take_word(text));
  if (!sector || !sectors) return false;
  line.sector = *sector;
  line.sectors = *sectors;
  return true;
}

bool is_block_line(std::string_view text) {
  BlockLine line;
  return split_block_line(text, line);
}

// Recognises the totals that blkparse prints after the events: "CPU0 (8,0):", " Reads Queued:    3,
// ...".
bool is_summary(std::string_view text) {
  return text.starts_with("CPU") || text.starts_with("Total (") || text.starts_with("Events (") ||
         text.starts_with("Throughput (") || text.starts_with("Skips:") ||
         text.starts_with("Input file ") || (text.starts_with(' ') && text.find(": ") < 24);
}

class BlockParser {
 public:
  explicit BlockParser(TraceSink& sink) : window_(sink), writer_(sink) {}

  Result<bool> line(std::string_view text);
  Result<void> finish(const std::string& file, ImportReport& report);

 private:
  struct InFlight {
    Event event;
    EventWindow::Running running;
  };

  Result<void> issue(const BlockLine& line, const Event& event);
  Result<void> complete(const BlockLine& line, Event event);
  Result<void> end(std::map<std::pair<uint64_t, uint64_t>, InFlight>::iterator request);

  EventWindow window_;
  EventWriter writer_;
  std::map<std::pair<uint64_t, uint64_t>, InFlight> in_flight_;  // keyed by device and sector
  uint64_t queued_ = 0;
  uint64_t reads_ = 0;
};

Result<bool> BlockParser::line(std::string_view text) {
  SKL_TRY_DO(writer_.begin("blkparse"));
  BlockLine line;
  if (!split_block_line(text, line)) return is_summary(text);
  const bool is_read = line.rwbs.find('R') != std::string_view::npos &&
                       line.rwbs.find('W') == std::string_view::npos;
  if (!is_read || !line.has_place || line.sectors == 0) return true;
  if (line.sector > kPlaceLimitBytes / kSectorBytes ||
      line.sectors > kPlaceLimitBytes / kSectorBytes)
    return false;
  Event event;
  event.start_ns = line.time_ns;
  event.offset_bytes = line.sector * kSectorBytes;
  event.length_bytes = line.sectors * kSectorBytes;
  event.process = event.thread = line.process;
  if (!is_within_limits(event)) return false;
  queued_ += line.action == 'Q' ? 1 : 0;
  if (line.action != 'D' && line.action != 'C') return true;
  SKL_TRY(const auto path, writer_.number_of(fmt::format("/dev/block/{}:{}", line.device >> 32,
                                                         line.device & UINT32_MAX)));
  event.path = path;
  SKL_TRY_DO(line.action == 'D' ? issue(line, event) : complete(line, event));
  return true;
}

Result<void> BlockParser::end(std::map<std::pair<uint64_t, uint64_t>, InFlight>::iterator request) {
  const InFlight ended = request->second;
  in_flight_.erase(request);
  ++reads_;
  SKL_TRY_DO(window_.add(ended.event));
  return window_.call_ends(ended.running);
}

Result<void> BlockParser::issue(const BlockLine& line, const Event& event) {
  // The device issued the request again, or the line of its end was lost.
  const auto known = in_flight_.find({line.device, line.sector});
  if (known != in_flight_.end()) {
    SKL_TRY_DO(end(known));
  } else if (in_flight_.size() >= kMaxInFlight) {
    SKL_TRY_DO(end(in_flight_.begin()));
  }
  in_flight_.emplace(std::pair(line.device, line.sector),
                     InFlight{event, window_.call_begins(event.start_ns)});
  return {};
}

Result<void> BlockParser::complete(const BlockLine& line, Event event) {
  const auto known = in_flight_.find({line.device, line.sector});
  if (known == in_flight_.end()) {
    ++reads_;
    return window_.add(event);
  }
  known->second.event.duration_ns =
      std::max<int64_t>(event.start_ns - known->second.event.start_ns, 0);
  return end(known);
}

Result<void> BlockParser::finish(const std::string& file, ImportReport& report) {
  SKL_TRY_DO(writer_.begin("blkparse"));
  while (!in_flight_.empty()) SKL_TRY_DO(end(in_flight_.begin()));
  if (reads_ == 0 && queued_ > 0)
    report.warnings.push_back(fmt::format(
        "{}: {} reads were queued, but the trace doesn't say that one was issued or completed; "
        "record with blktrace -a issue -a complete",
        file, queued_));
  return window_.finish();
}

bool recognise_blkparse(std::string_view front) {
  return !find_line(front, is_block_line).empty() && most_lines(front, [](std::string_view text) {
    return is_block_line(text) || is_summary(text);
  });
}

Result<void> parse_blkparse(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                            ImportReport& report) {
  BlockParser parser(sink);
  auto parsed = for_each_line(stream, LastLine::must_end, report,
                              [&](std::string_view text) { return parser.line(text); });
  if (!parsed) return parsed;
  return parser.finish(stream.name(), report);
}

}  // namespace

const Dialect kBlkparseDialect = {"blkparse", "8,0 3 1 0.000000000 594 D R 43781957 + 16 [game]",
                                  recognise_blkparse, parse_blkparse};

}  // namespace seekless

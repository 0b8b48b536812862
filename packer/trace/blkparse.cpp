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
#include "packer/trace/internal/block_line.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

// At most this many requests in flight are remembered; a device has a few thousand at most.
constexpr size_t kMaxInFlight = size_t{1} << 16;

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
  if (!split_block_line(text, line)) return is_block_summary(text);
  if (!line.is_read() || !line.has_place || line.sectors == 0) return true;
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
  // The request was issued again, or the line of its completion was lost.
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

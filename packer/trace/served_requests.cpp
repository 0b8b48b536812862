// Reads the four forms of docs/calibrate.md. Logs of the system (blkparse, biosnoop) tell when each
// request began and ended. If several are in flight, the drive serves one after the other, so each
// counts from the end of the previous one. Systems split long reads; their parts are joined to one
// request again.
#include "packer/trace/served_requests.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/host/files.h"
#include "packer/trace/internal/biosnoop_rows.h"
#include "packer/trace/internal/block_line.h"
#include "packer/trace/internal/request_csv.h"
#include "packer/trace/internal/text_dialect.h"
#include "packer/trace/internal/unpack.h"

namespace seekless {
namespace {

constexpr size_t kRequestFrontBytes = size_t{64} << 10;
constexpr size_t kMostInFlight = size_t{1} << 16;
constexpr uint64_t kMostUnparsedShare = 10;  // at most one line in this many
constexpr double kNanosecond = 1e-6;         // ms
constexpr double kMicrosecond = 1e-3;
constexpr double kLongestMs = 1e12;
constexpr uint64_t kLongestJoinedBytes = uint64_t{16} << 20;
constexpr int64_t kRoundedNs = 1000;  // starts and ends are rounded, so they may seem to overlap

struct TimedRequest {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
  bool is_read = true;
};

// Holds the first requests of a disk, and counts all.
struct DiskLog {
  std::vector<TimedRequest> requests;
  uint64_t seen = 0;

  void add(const TimedRequest& request) {
    if (seen++ < kMaxServedRequests) requests.push_back(request);
  }
};

using RequestsByDisk = std::map<std::string, DiskLog, std::less<>>;

void warn_if_cut(uint64_t seen, const std::string& file, ServedRequests& served) {
  if (seen <= kMaxServedRequests) return;
  served.warnings.push_back(
      fmt::format("{}: only the first {} requests are taken", file, kMaxServedRequests));
}

bool is_comment(std::string_view line) {
  return line.starts_with('#');
}

// Returns true if a request that waited continues where the previous one ends. The completion times
// of a long read's parts say little, because the system may learn of several at once.
bool goes_on(const ServedRequest& before, const TimedRequest& now) {
  return before.is_read == now.is_read &&
         before.position_bytes + before.length_bytes == now.position_bytes &&
         before.length_bytes + now.length_bytes <= kLongestJoinedBytes;
}

// Orders requests by their ends, and computes how long the drive worked on each.
void add_in_turn(std::vector<TimedRequest> timed, ServedRequests& served) {
  std::ranges::stable_sort(timed, {}, &TimedRequest::end_ns);
  int64_t free_ns = 0;  // when the drive finished the previous request
  for (size_t i = 0; i < timed.size(); ++i) {
    const TimedRequest& one = timed[i];
    const bool waited = i > 0 && one.start_ns < free_ns;
    const int64_t begun_ns = waited ? free_ns : one.start_ns;
    const double response_ms = static_cast<double>(one.end_ns - begun_ns) * kNanosecond;
    if (one.start_ns + kRoundedNs < free_ns && i > 0 && goes_on(served.requests.back(), one)) {
      served.requests.back().length_bytes += one.length_bytes;
      served.requests.back().response_ms += response_ms;
    } else {
      served.queued_requests += waited ? 1 : 0;
      if (i > 0 && !waited)
        served.requests.back().pause_ms = static_cast<double>(one.start_ns - free_ns) * kNanosecond;
      served.requests.push_back({.position_bytes = one.position_bytes,
                                 .length_bytes = one.length_bytes,
                                 .response_ms = response_ms,
                                 .is_read = one.is_read});
    }
    free_ns = std::max(free_ns, one.end_ns);
    if (i == 0) free_ns = one.end_ns;
  }
}

// Takes the requests of one disk.
Result<void> take_disk(RequestsByDisk by_disk, const std::string& disk, const std::string& file,
                       ServedRequests& served) {
  std::string names;
  for (const auto& [name, log] : by_disk) names += (names.empty() ? "" : ", ") + name;
  auto chosen = by_disk.find(disk);
  if (!disk.empty() && chosen == by_disk.end())
    return wrong_usage({.file = file,
                        .place = "--disk",
                        .expected = names.empty() ? "a log with a disk" : "one of " + names,
                        .found = fmt::format("'{}'", disk)});
  if (disk.empty())
    chosen = std::ranges::max_element(by_disk, {}, [](const auto& one) { return one.second.seen; });
  if (chosen == by_disk.end()) return {};
  if (disk.empty() && by_disk.size() > 1)
    served.warnings.push_back(
        fmt::format("{}: the log has the disks {}; only {} is taken, and --disk takes another",
                    file, names, chosen->first));
  served.disk = chosen->first;
  warn_if_cut(chosen->second.seen, file, served);
  add_in_turn(std::move(chosen->second.requests), served);
  return {};
}

// Matches the ends of requests with their beginnings.
class BlockRequests {
 public:
  Result<bool> line(std::string_view text) {
    BlockLine line;
    if (!split_block_line(text, line)) return is_block_summary(text);
    if (!line.has_place || line.sectors == 0 || (!line.is_read() && !line.is_write())) return true;
    if (line.sector > kPlaceLimitBytes / kSectorBytes ||
        line.sectors > kPlaceLimitBytes / kSectorBytes)
      return false;
    if (line.action == 'D') issue(line);
    if (line.action == 'C') complete(line);
    return true;
  }

  uint64_t without_begin() const { return without_begin_; }
  RequestsByDisk take() && { return std::move(by_disk_); }

 private:
  void issue(const BlockLine& line) {
    if (in_flight_.size() >= kMostInFlight) in_flight_.erase(in_flight_.begin());
    in_flight_[{line.device, line.sector}] = line.time_ns;
  }

  void complete(const BlockLine& line) {
    const auto begun = in_flight_.find({line.device, line.sector});
    if (begun == in_flight_.end()) {
      ++without_begin_;
      return;
    }
    const int64_t start_ns = begun->second;
    in_flight_.erase(begun);
    if (line.time_ns < start_ns) return;
    by_disk_[fmt::format("{}:{}", line.device >> 32, line.device & UINT32_MAX)].add(
        {.start_ns = start_ns,
         .end_ns = line.time_ns,
         .position_bytes = line.sector * kSectorBytes,
         .length_bytes = line.sectors * kSectorBytes,
         .is_read = line.is_read()});
  }

  std::map<std::pair<uint64_t, uint64_t>, int64_t> in_flight_;  // beginnings, by device and sector
  RequestsByDisk by_disk_;
  uint64_t without_begin_ = 0;
};

Result<void> read_blkparse_requests(ByteStream& stream, const std::string& disk,
                                    ImportReport& report, ServedRequests& served) {
  BlockRequests requests;
  SKL_TRY_DO(for_each_line(stream, LastLine::must_end, report,
                           [&](std::string_view text) { return requests.line(text); }));
  if (requests.without_begin() > 0)
    served.warnings.push_back(
        fmt::format("{}: {} requests have no line of their issue, and are left out; record with "
                    "blktrace -a issue -a complete, of the disk itself",
                    stream.name(), requests.without_begin()));
  return take_disk(std::move(requests).take(), disk, stream.name(), served);
}

Result<void> read_biosnoop_requests(ByteStream& stream, const std::string& disk,
                                    ImportReport& report, ServedRequests& served) {
  RequestsByDisk by_disk;
  SKL_TRY_DO(for_each_biosnoop_row(stream, report, [&](const BiosnoopRow& row) -> Result<bool> {
    if (row.length_bytes == 0 || (!row.is_read() && !row.is_write())) return true;
    by_disk[std::string(row.disk)].add({.start_ns = row.start_ns,
                                        .end_ns = row.start_ns + row.duration_ns,
                                        .position_bytes = row.offset_bytes,
                                        .length_bytes = row.length_bytes,
                                        .is_read = row.is_read()});
    return true;
  }));
  return take_disk(std::move(by_disk), disk, stream.name(), served);
}

// Splits a line of DiskSim's validation traces: "R Hit 2992396 4 13670.0 35942.0", with sectors and
// microseconds. The second word (Hit, Miss, Doub, Trip, ...) says nothing that is needed here.
std::optional<ServedRequest> split_disksim(std::string_view line) {
  const std::string_view kind = take_word(line);
  const std::string_view cache = take_word(line);
  if ((kind != "R" && kind != "W") || cache.empty() || is_digit(cache.front())) return std::nullopt;
  const auto sector = parse_whole_number(take_word(line));
  const auto sectors = parse_whole_number(take_word(line));
  const auto response_us = parse_amount(take_word(line), kLongestMs);
  const auto pause_us = parse_amount(take_word(line), kLongestMs);
  constexpr uint64_t kMostSectors = kPlaceLimitBytes / kSectorBytes / 2;
  if (!sector || !sectors || !response_us || !pause_us || *sector > kMostSectors || *sectors == 0 ||
      *sectors > kMostSectors)
    return std::nullopt;
  return ServedRequest{.position_bytes = *sector * kSectorBytes,
                       .length_bytes = *sectors * kSectorBytes,
                       .response_ms = *response_us * kMicrosecond,
                       .pause_ms = *pause_us * kMicrosecond,
                       .is_read = kind == "R"};
}

bool is_disksim_line(std::string_view text) {
  return split_disksim(text).has_value();
}

Result<void> read_disksim_requests(ByteStream& stream, ImportReport& report,
                                   ServedRequests& served) {
  uint64_t seen = 0;
  SKL_TRY_DO(
      for_each_line(stream, LastLine::may_end, report, [&](std::string_view text) -> Result<bool> {
        if (++seen > kMaxServedRequests) return true;
        const auto request = split_disksim(text);
        if (!request) return false;
        served.requests.push_back(*request);
        return true;
      }));
  warn_if_cut(seen, stream.name(), served);
  return {};
}

bool add_csv_line(std::string_view text, const RequestColumns& columns, ServedRequests& served,
                  std::vector<TimedRequest>& timed) {
  const auto logged = columns.split(text);
  if (!logged || logged->request.length_bytes == 0) return false;
  if (!logged->start_ms) {
    served.requests.push_back(logged->request);
    return true;
  }
  const auto start_ns = static_cast<int64_t>(*logged->start_ms / kNanosecond);
  const auto response_ns = static_cast<int64_t>(logged->request.response_ms / kNanosecond);
  if (start_ns > kTimeLimitNs || response_ns > kTimeLimitNs) return false;
  timed.push_back({.start_ns = start_ns,
                   .end_ns = start_ns + response_ns,
                   .position_bytes = logged->request.position_bytes,
                   .length_bytes = logged->request.length_bytes,
                   .is_read = logged->request.is_read});
  return true;
}

Result<void> read_csv_requests(ByteStream& stream, ImportReport& report, ServedRequests& served) {
  std::optional<RequestColumns> columns;
  std::vector<TimedRequest> timed;
  uint64_t seen = 0;
  SKL_TRY_DO(
      for_each_line(stream, LastLine::may_end, report, [&](std::string_view text) -> Result<bool> {
        if (is_comment(text)) return true;
        if (columns && ++seen > kMaxServedRequests) return true;
        if (columns) return add_csv_line(text, *columns, served, timed);
        std::string reason;
        columns = RequestColumns::parse(text, reason);
        if (columns) return true;
        return damaged({.file = stream.name(),
                        .place = "the line that names the columns",
                        .expected = reason,
                        .found = fmt::format("'{}'", text.substr(0, 80)),
                        .advice = "docs/calibrate.md lists the columns"});
      }));
  warn_if_cut(seen, stream.name(), served);
  if (!timed.empty()) add_in_turn(std::move(timed), served);
  return {};
}

// Reads the forms that name no disk.
Result<void> read_table(ByteStream& stream, const std::string& disk, ImportReport& report,
                        ServedRequests& served) {
  if (!disk.empty())
    return wrong_usage({.file = stream.name(),
                        .place = "--disk",
                        .expected = "a log that names disks, of blkparse or biosnoop",
                        .found = "a table of requests"});
  return served.form == "requests" ? read_csv_requests(stream, report, served)
                                   : read_disksim_requests(stream, report, served);
}

std::string_view form_of(std::string_view front) {
  if (recognise_blkparse(front)) return "blkparse";
  if (recognise_biosnoop(front)) return "biosnoop";
  if (!find_line(front, is_request_header).empty()) return "requests";
  if (!find_line(front, is_disksim_line).empty()) return "disksim";
  return {};
}

Result<void> read_form(ByteStream& stream, const std::string& disk, ImportReport& report,
                       ServedRequests& served) {
  if (served.form == "blkparse") return read_blkparse_requests(stream, disk, report, served);
  if (served.form == "biosnoop") return read_biosnoop_requests(stream, disk, report, served);
  return read_table(stream, disk, report, served);
}

// Says how many lines were skipped, and where the first is.
void warn_of_unparsed(const std::string& file, const ImportReport& report, ServedRequests& served) {
  if (report.unparsed_lines == 0) return;
  const UnparsedLine& first = report.first_unparsed.front();
  served.warnings.push_back(fmt::format(
      "{}: {} of {} lines are no requests of the form {}, and are left out, such as line {}: '{}'",
      file, report.unparsed_lines, report.lines, served.form, first.number, first.text));
}

Result<void> check_served(const std::string& file, const ImportReport& report,
                          const ServedRequests& served) {
  if (report.unparsed_lines * kMostUnparsedShare > report.lines)
    return damaged(
        {.file = file,
         .place = fmt::format("line {}", report.first_unparsed.front().number),
         .expected = fmt::format("a request of the form {} on nine lines of ten", served.form),
         .found = fmt::format("{} of {} lines that are none, such as '{}'", report.unparsed_lines,
                              report.lines, report.first_unparsed.front().text)});
  if (!served.requests.empty()) return {};
  return damaged({.file = file,
                  .expected = "requests with the time that each took",
                  .found = "none",
                  .advice = "docs/calibrate.md says how to record them"});
}

}  // namespace

Result<ServedRequests> read_served_requests(const std::string& path, const std::string& disk) {
  SKL_TRY(const auto stream, open_piped_stream(path));
  ImportReport report;
  SKL_TRY(const auto plain, unpack(*stream, report.warnings));
  SKL_TRY(const auto front, plain->peek(kRequestFrontBytes));
  ServedRequests served;
  served.form = form_of(front);
  if (served.form.empty())
    return damaged({.file = path,
                    .expected = "a table of requests (CSV with named columns, or DiskSim's "
                                "validation format), or a log of blkparse or biosnoop",
                    .found = front.empty()
                                 ? "an empty file"
                                 : fmt::format("'{}'", front.substr(0, std::min<size_t>(
                                                                           60, front.find('\n')))),
                    .advice = "docs/calibrate.md describes each"});
  SKL_TRY_DO(read_form(*plain, disk, report, served));
  served.warnings.insert(served.warnings.begin(), report.warnings.begin(), report.warnings.end());
  served.lines = report.lines;
  served.unparsed_lines = report.unparsed_lines;
  SKL_TRY_DO(check_served(path, report, served));
  warn_of_unparsed(path, report, served);
  return served;
}

}  // namespace seekless

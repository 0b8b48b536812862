// Reads the text that `xperf -i LOG.etl -o LOG.txt -a dumper` makes of an ETW log. A block between
// BeginHeader and EndHeader names the columns of each type of event; one line for each event
// follows.
//
// These rows become events:
// - FileIoRead is a read, as the file system sees it. FileIoOpEnd, if it was logged, has its result
//   and duration. Paging reads (IRP_PAGING_IO) count as in Process Monitor's logs.
// - FileIoCreate is an open.
// - DiskRead is a read as the disk sees it: its offset is the disk's, and reads from the cache are
//   missing. It is ignored if the log has FileIoRead. Otherwise each file counts as read whole, at
//   its first read, because the offset in the file isn't known.
// If a row has no file name, the file has the name that an earlier row gave its FileObject, or else
// one made of the object's number: "<file object 0xffffe000142b0070>".
//
// The log is read once, in bounded memory: reads and opens wait, in the order they began, for the
// line with their result.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include <fmt/format.h>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/lines.h"
#include "packer/trace/internal/numbers.h"
#include "packer/trace/internal/xperf_line.h"
#include "packer/trace/procmon_events.h"

namespace seekless {
namespace {

constexpr size_t kMaxWaiting = 4096;   // reads that haven't ended
constexpr size_t kTypeLimit = 10'000;  // xperf has some hundreds of types
constexpr uint64_t kPagingIrp = 2;     // IRP_PAGING_IO
// This is STATUS_FLT_DISALLOW_FAST_IO: the read is then repeated.
constexpr uint32_t kFastIoRefused = 0xc01c0004;

using Column = XperfColumn;

bool is_blank(std::string_view name) {
  return name.empty() || name == "n/a" || name == "Unknown" || name == "<unknown>";
}

// Reads a column that may be empty; returns nothing if it holds something other than a number.
std::optional<uint64_t> number_or(std::string_view text, uint64_t if_blank) {
  return is_blank(text) || text == "-1" ? if_blank : parse_number(text);
}

std::optional<uint32_t> thread_of(std::string_view text, uint32_t process) {
  const auto thread = number_or(text, process);
  if (!thread || *thread > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*thread);
}

std::optional<int64_t> nanoseconds(std::string_view microseconds) {
  const auto number = parse_number(microseconds);
  if (!number || *number > static_cast<uint64_t>(kTimeLimitNs / 1000)) return std::nullopt;
  return static_cast<int64_t>(*number) * 1000;
}

class XperfReader {
 public:
  XperfReader(ByteStream& stream, TraceSink& sink, ImportReport& report)
      : stream_(stream), sink_(sink), report_(report), events_(sink, report) {}
  Result<void> read();

 private:
  struct UnfinishedAccess {
    ProcmonAccess access;
    uint32_t path;
    uint64_t irp;
    bool has_ended;
  };
  struct DiskAccess {
    int64_t start_ns;
    int64_t duration_ns;
    uint32_t path;
    uint32_t process;
    uint32_t thread;
  };

  Result<void> read_header(LineReader& lines);
  Result<void> check_columns();
  // Returns false if the line can't be understood.
  Result<bool> line(std::string_view text);
  Result<bool> access(const XperfType& type, bool is_read);
  bool end_of_access(const XperfType& type);
  bool disk_read(const XperfType& type);
  Result<void> release(bool all);
  Result<void> hand_on_disk_reads();
  Result<void> finish();

  std::optional<uint32_t> path_of(const XperfType& type);
  uint32_t number_of(std::string_view path);
  std::string_view field(const XperfType& type, Column column) const {
    return type.field(fields_, column);
  }

  ByteStream& stream_;
  TraceSink& sink_;
  ImportReport& report_;
  ProcmonEvents events_;
  std::unordered_map<std::string, XperfType> types_;
  bool has_ends_ = false;
  bool has_file_view_ = false;
  std::vector<std::string_view> fields_;
  std::string key_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> paths_;             // pointers into numbers_
  std::unordered_map<uint64_t, uint32_t> of_object_;  // FileObject -> path
  std::deque<UnfinishedAccess> waiting_;
  uint64_t first_waiting_ = 0;                     // number of the first waiting access
  std::unordered_map<uint64_t, uint64_t> of_irp_;  // IrpPtr -> number of the waiting access
  std::vector<DiskAccess> disk_reads_;             // the first disk read of each path
  std::vector<bool> is_on_disk_;                   // indexed by path
  uint64_t nameless_reads_ = 0;
};

Result<void> XperfReader::read_header(LineReader& lines) {
  Line line;
  bool is_inside = false;
  for (;;) {
    SKL_TRY(const auto more, lines.next(line));
    const std::string_view name = more ? xperf_type_name(line.text) : "the end";
    if (!more || (!is_inside && !name.empty() && name != "BeginHeader"))
      return damaged({.file = stream_.name(),
                      .place = fmt::format("line {}", lines.lines()),
                      .expected = is_inside ? "EndHeader" : "BeginHeader",
                      .found = fmt::format("'{}'", name.substr(0, 60)),
                      .advice = "dump the log again: xperf -i LOG.etl -o LOG.txt -a dumper"});
    if (is_inside && name == "EndHeader") return check_columns();
    if (name.empty() || line.is_cut) continue;
    if (is_inside && types_.size() < kTypeLimit) {
      XperfType type(line.text);
      types_.try_emplace(type.name(), std::move(type));
    }
    is_inside = true;
  }
}

Result<void> XperfReader::check_columns() {
  constexpr std::array kNeeded = {
      std::pair{Column::time, "TimeStamp"}, std::pair{Column::process, "Process Name ( PID)"},
      std::pair{Column::offset, "ByteOffset"}, std::pair{Column::size, "Size"}};
  for (const char* name : {"FileIoRead", "DiskRead"}) {
    const auto type = types_.find(name);
    if (type == types_.end()) continue;
    for (const auto& [column, title] : kNeeded)
      if (!type->second.has(column))
        return damaged({.file = stream_.name(),
                        .place = fmt::format("{} in the header", name),
                        .expected = fmt::format("a column '{}'", title),
                        .found = "none"});
  }
  const auto end = types_.find("FileIoOpEnd");
  has_ends_ = end != types_.end() && end->second.has(Column::irp);
  return {};
}

uint32_t XperfReader::number_of(std::string_view path) {
  const auto [found, is_new] =
      numbers_.try_emplace(std::string(path), static_cast<uint32_t>(numbers_.size()));
  if (is_new) paths_.push_back(&found->first);
  return found->second;
}

std::optional<uint32_t> XperfReader::path_of(const XperfType& type) {
  const std::string_view name = field(type, Column::name);
  const auto object = parse_number(field(type, Column::file_object));
  if (!is_blank(name)) {
    const uint32_t path = number_of(name);
    if (object && *object != 0) of_object_[*object] = path;
    return path;
  }
  if (!object) return std::nullopt;
  const auto known = of_object_.find(*object);
  if (known != of_object_.end()) return known->second;
  return std::nullopt;
}

Result<bool> XperfReader::line(std::string_view text) {
  const std::string_view name = xperf_type_name(text);
  const bool matters = name.starts_with("File") || name == "DiskRead";
  key_ = name;
  const auto type = matters ? types_.find(key_) : types_.end();
  if (type == types_.end()) {
    // The log has hundreds of other types. Their lines are accepted if they begin with a name and a
    // comma.
    const size_t comma = text.find(',');
    return text.empty() || (comma != std::string_view::npos && !name.empty()) ||
           name.starts_with("OS Version");
  }
  if (!split_xperf_line(text, fields_)) return false;
  if (name == "FileIoRead") return access(type->second, true);
  if (name == "FileIoCreate") return access(type->second, false);
  if (name == "FileIoOpEnd") {
    const bool is_understood = end_of_access(type->second);
    SKL_TRY_DO(release(false));
    return is_understood;
  }
  if (name == "DiskRead") return disk_read(type->second);
  path_of(type->second);
  return true;
}

Result<bool> XperfReader::access(const XperfType& type, bool is_read) {
  const auto time = nanoseconds(field(type, Column::time));
  const auto process = xperf_process(field(type, Column::process));
  const auto thread = thread_of(field(type, Column::thread), process.value_or(0));
  const auto irp = number_or(field(type, Column::irp), 0);
  if (!time || !process || !thread || !irp) return false;
  ProcmonAccess access{.start_ns = *time, .process = *process, .thread = *thread};
  auto path = path_of(type);
  if (is_read) {
    const auto offset = parse_number(field(type, Column::offset));
    const auto length = parse_number(field(type, Column::size));
    const auto flags = number_or(field(type, Column::flags), 0);
    if (!offset || !length || !flags) return false;
    access.offset_bytes = *offset;
    access.length_bytes = *length;
    access.is_paging = (*flags & kPagingIrp) != 0;
    has_file_view_ = true;
    disk_reads_ = {};
    if (!path) {
      ++nameless_reads_;
      path = number_of(fmt::format("<file object {}>", field(type, Column::file_object)));
    }
  } else {
    access.operation = ProcmonAccess::Operation::open;
    if (!path) return true;  // a path of a volume or a device
  }
  const bool waits = has_ends_ && *irp != 0;
  if (waits) {
    // This IRP is used again, so the end of its previous use is missing in the log.
    const auto [before, is_new] = of_irp_.try_emplace(*irp, first_waiting_ + waiting_.size());
    if (!is_new) {
      waiting_[before->second - first_waiting_].has_ended = true;
      before->second = first_waiting_ + waiting_.size();
    }
  }
  waiting_.push_back({access, *path, *irp, !waits});
  SKL_TRY_DO(release(false));
  return true;
}

bool XperfReader::end_of_access(const XperfType& type) {
  const auto irp = parse_number(field(type, Column::irp));
  if (!irp) return false;
  const auto found = of_irp_.find(*irp);
  if (found == of_irp_.end())
    return true;  // the end of another call, or of one that began before the log
  UnfinishedAccess& of = waiting_[found->second - first_waiting_];
  of_irp_.erase(found);
  of.has_ended = true;
  const auto status = number_or(field(type, Column::status), 0);
  // For a read, this is the number of bytes delivered.
  const auto extra = number_or(field(type, Column::extra), of.access.length_bytes);
  if (!status || *status > UINT32_MAX || !extra) return false;
  of.access.duration_ns = nanoseconds(field(type, Column::elapsed)).value_or(kUnknownDuration);
  of.access.status = static_cast<uint32_t>(*status);
  if (of.access.status == 0 && of.access.operation == ProcmonAccess::Operation::read)
    of.access.length_bytes = std::min(of.access.length_bytes, *extra);
  return true;
}

Result<void> XperfReader::release(bool all) {
  while (!waiting_.empty() &&
         (all || waiting_.front().has_ended || waiting_.size() > kMaxWaiting)) {
    const UnfinishedAccess first = waiting_.front();
    waiting_.pop_front();
    const auto waits = of_irp_.find(first.irp);
    if (waits != of_irp_.end() && waits->second == first_waiting_) of_irp_.erase(waits);
    ++first_waiting_;
    if (first.access.status == kFastIoRefused) continue;
    SKL_TRY_DO(events_.access(first.access, *paths_[first.path]));
  }
  return {};
}

// Handles a disk read; its timestamp is that of the read's end.
bool XperfReader::disk_read(const XperfType& type) {
  const auto time = nanoseconds(field(type, Column::time));
  const auto process = xperf_process(field(type, Column::process));
  const auto path = path_of(type);
  const auto thread = thread_of(field(type, Column::thread), process.value_or(0));
  if (!time || !process || !thread) return false;
  if (has_file_view_ || !path) return true;
  if (is_on_disk_.size() <= *path) is_on_disk_.resize(*path + size_t{1});
  if (is_on_disk_[*path]) return true;
  is_on_disk_[*path] = true;
  const auto elapsed = nanoseconds(field(type, Column::elapsed));
  disk_reads_.push_back({.start_ns = *time - std::min(*time, elapsed.value_or(0)),
                         .duration_ns = elapsed.value_or(kUnknownDuration),
                         .path = *path,
                         .process = *process,
                         .thread = *thread});
  return true;
}

Result<void> XperfReader::hand_on_disk_reads() {
  std::stable_sort(disk_reads_.begin(), disk_reads_.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (const DiskAccess& read : disk_reads_) {
    const ProcmonAccess access{.start_ns = read.start_ns,
                               .duration_ns = read.duration_ns,
                               .process = read.process,
                               .thread = read.thread,
                               .length_bytes = kWholeFile};
    SKL_TRY_DO(events_.access(access, *paths_[read.path]));
  }
  if (!disk_reads_.empty())
    report_.warnings.push_back(
        fmt::format("{}: the log has the disk's view only (DiskRead), so each file counts as read "
                    "whole; record with xperf -on FILE_IO+FILE_IO_INIT+FILENAME to have its reads",
                    stream_.name()));
  return {};
}

Result<void> XperfReader::finish() {
  SKL_TRY_DO(release(true));
  SKL_TRY_DO(hand_on_disk_reads());
  if (nameless_reads_ > 0)
    report_.warnings.push_back(
        fmt::format("{}: reads of files whose names the log doesn't tell: {}; they are listed as "
                    "<file object 0x...>",
                    stream_.name(), nameless_reads_));
  return events_.finish(stream_.name());
}

Result<void> XperfReader::read() {
  LineReader lines(stream_);
  SKL_TRY_DO(read_header(lines));
  SKL_TRY_DO(sink_.begin({.dialect = "xperf"}));
  Line row;
  for (;;) {
    SKL_TRY(const auto more, lines.next(row));
    if (!more) break;
    if (!row.is_ended) {
      report_.warnings.push_back(fmt::format(
          "{}: line {}: the last line is cut short, and is left out", stream_.name(), row.number));
      break;
    }
    SKL_TRY(const auto done, row.is_cut ? false : line(row.text));
    if (!done) report_.add_unparsed(row.number, row.text);
  }
  report_.lines = lines.lines();
  return finish();
}

bool recognise_xperf(std::string_view front) {
  const size_t begin = front.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && front.substr(begin).starts_with("BeginHeader");
}

Result<void> parse_xperf(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                         ImportReport& report) {
  return XperfReader(stream, sink, report).read();
}

}  // namespace

const Dialect kXperfDialect = {
    "xperf", "output of 'xperf -a dumper'; the first line is BeginHeader", recognise_xperf,
    parse_xperf, "'xperf -on FILE_IO+FILE_IO_INIT+FILENAME' records what is read of them"};

}  // namespace seekless

// Reads Process Monitor's log in its own binary form, PML version 9. The tables lie at the file's
// end, so the stream is spooled first; events are then read in order through a window. Every read
// checks its offset against the file's size. The sum of all events' sizes is limited to the file's
// size, so a table that names one event many times can't cause more work.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/procmon_events.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

constexpr uint64_t kHeaderBytes = 0x3a8;
constexpr uint64_t kEventBytes = 0x34;  // size of an event before its stack
// An element of the array of offsets has 5 bytes: the low 32 bits of an offset, and 8 more bits.
constexpr uint64_t kOffsetBytes = 5;
constexpr uint64_t kWindowBytes = 1 << 18;  // size of the window
constexpr uint64_t kProcessBytes = 8;       // size of a process's entry in the table
constexpr uint32_t kFileSystem = 3;
constexpr uint16_t kCreateFile = 20;
constexpr uint16_t kReadFile = 23;
constexpr uint32_t kPagingFlag = 2;  // IRP_PAGING_IO
constexpr uint64_t kTicksTo1970 = 116'444'736'000'000'000;

uint64_t number_at(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i)
    number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return number;
}
uint32_t u32(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(number_at(bytes, at, 4));
}

// Reads pieces of the file, mostly in ascending order.
class FileWindow {
 public:
  explicit FileWindow(const ByteSource& source) : source_(source) {}
  // The result is valid until the next call; `size` is at most kWindowBytes.
  Result<std::string_view> at(uint64_t offset, uint64_t size) {
    if (offset < begin_ || offset - begin_ > buffer_.size() ||
        size > buffer_.size() - (offset - begin_)) {
      const uint64_t rest = offset <= source_.size_bytes() ? source_.size_bytes() - offset : 0;
      buffer_.resize(std::max(size, std::min(rest, kWindowBytes)));
      begin_ = offset;
      auto read = source_.read_at(offset, std::as_writable_bytes(std::span(buffer_)));
      if (!read) {
        buffer_.clear();
        return std::unexpected(read.error());
      }
    }
    return std::string_view(buffer_).substr(offset - begin_, size);
  }

 private:
  const ByteSource& source_;
  std::string buffer_;
  uint64_t begin_ = 0;
};

class PmlReader {
 public:
  PmlReader(const ByteSource& source, TraceSink& sink, ImportReport& report)
      : source_(source),
        offsets_(source),
        data_(source),
        sink_(sink),
        report_(report),
        events_(sink, report) {}
  Result<void> read();

 private:
  Result<void> read_processes(uint64_t table);
  Result<void> read_event(uint64_t number, uint64_t offset);
  Result<bool> read_access(uint64_t offset, std::string_view event, uint64_t event_bytes);
  Result<std::optional<uint32_t>> length_that_came(uint64_t offset, std::string_view event,
                                                   uint64_t event_bytes);
  std::unexpected<Error> wrong(std::string place, std::string expected, std::string found) const {
    return damaged({.file = source_.name(),
                    .place = std::move(place),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = "open the log in Process Monitor and save it again"});
  }

  const ByteSource& source_;
  FileWindow offsets_;
  FileWindow data_;
  TraceSink& sink_;
  ImportReport& report_;
  ProcmonEvents events_;
  size_t pointer_bytes_ = 8;
  std::unordered_map<uint32_t, uint32_t> process_ids_;  // process ids by index
  uint64_t first_ticks_ = 0;
  uint64_t rest_bytes_ = 0;   // bytes left for the remaining events
  uint64_t last_offset_ = 0;  // offset of the last event; no event is at 0
  std::string path_;
};

Result<void> PmlReader::read() {
  SKL_TRY(const auto header, data_.at(0, kHeaderBytes));
  if (!header.starts_with("PML_") || u32(header, 4) != 9)
    return wrong("byte 4", "version 9", fmt::format("{}", u32(header, 4)));
  pointer_bytes_ = u32(header, 8) != 0 ? 8 : 4;
  const uint32_t count = u32(header, 0x234);
  const uint64_t array = number_at(header, 0x248, 8);
  const uint64_t processes = number_at(header, 0x250, 8);
  const uint64_t size = source_.size_bytes();
  rest_bytes_ = size;
  if (array > size || count > (size - array) / kOffsetBytes)
    return wrong("byte 564", fmt::format("as many events as fit into {} bytes", size),
                 fmt::format("{} with their offsets at byte {}", count, array));
  SKL_TRY_DO(read_processes(processes));
  uint64_t unix_ns = 0;
  for (uint64_t i = 0; i < count; ++i) {
    SKL_TRY(const auto entry, offsets_.at(array + i * kOffsetBytes, kOffsetBytes));
    const uint64_t offset = number_at(entry, 0, kOffsetBytes);
    if (i == 0) {
      SKL_TRY(const auto first, data_.at(offset, kEventBytes));
      first_ticks_ = number_at(first, 0x1c, 8);
      if (first_ticks_ > kTicksTo1970 && first_ticks_ - kTicksTo1970 < uint64_t{1} << 56)
        unix_ns = (first_ticks_ - kTicksTo1970) * 100;
      TraceHeader told{.dialect = "procmon-pml", .began_unix_ns = static_cast<int64_t>(unix_ns)};
      SKL_TRY_DO(sink_.begin(told));
    }
    SKL_TRY_DO(read_event(i, offset));
  }
  if (count == 0) SKL_TRY_DO(sink_.begin({.dialect = "procmon-pml"}));
  report_.lines = count;
  return events_.finish(source_.name());
}

Result<void> PmlReader::read_processes(uint64_t table) {
  SKL_TRY(const auto front, data_.at(table, 4));
  const uint32_t count = u32(front, 0);
  if (count > (source_.size_bytes() - table - 4) / kProcessBytes)
    return wrong(fmt::format("byte {}", table), "a table of processes", fmt::format("{}", count));
  for (uint64_t i = 0; i < count; ++i) {
    SKL_TRY(const auto entry, offsets_.at(table + 4 + (count + i) * 4, 4));
    SKL_TRY(const auto process, data_.at(table + u32(entry, 0), 8));
    process_ids_.emplace(u32(process, 0), u32(process, 4));
  }
  return {};
}

Result<void> PmlReader::read_event(uint64_t number, uint64_t offset) {
  const auto event = data_.at(offset, kEventBytes);
  if (!event) return std::unexpected(event.error());
  const uint64_t event_bytes =
      kEventBytes + number_at(*event, 0x28, 2) * pointer_bytes_ + u32(*event, 0x2c);
  if (event_bytes > rest_bytes_)
    return wrong(fmt::format("event {} at byte {}", number, offset), "events that don't overlap",
                 fmt::format("one of {} bytes", event_bytes));
  rest_bytes_ -= event_bytes;
  const bool is_repeated = offset == last_offset_;
  last_offset_ = offset;
  const uint64_t operation = number_at(*event, 0xc, 2);
  if (u32(*event, 8) != kFileSystem || (operation != kCreateFile && operation != kReadFile))
    return {};
  SKL_TRY(const auto done,
          is_repeated ? false : read_access(offset, std::string(*event), event_bytes));
  if (!done) report_.add_unparsed(number + 1, fmt::format("the event at byte {}", offset));
  return {};
}

Result<bool> PmlReader::read_access(uint64_t offset, std::string_view event, uint64_t event_bytes) {
  const bool is_read = number_at(event, 0xc, 2) == kReadFile;
  ProcmonAccess access{.operation = is_read ? ProcmonAccess::Operation::read
                                            : ProcmonAccess::Operation::open};
  const auto process = process_ids_.find(u32(event, 0));
  access.process = process == process_ids_.end() ? 0 : process->second;
  access.thread = u32(event, 4);
  access.status = u32(event, 0x24);
  const auto limit = static_cast<uint64_t>(kTimeLimitNs / 100);
  const uint64_t ticks = number_at(event, 0x1c, 8);
  const uint64_t since = ticks > first_ticks_ ? ticks - first_ticks_ : 0;
  access.start_ns = static_cast<int64_t>(std::min(since, limit)) * 100;
  access.duration_ns = static_cast<int64_t>(std::min(number_at(event, 0x14, 8), limit)) * 100;

  const uint64_t detail_bytes = u32(event, 0x2c);
  const uint64_t detail_at = offset + event_bytes - detail_bytes;
  const size_t path_at = 4 + 5 * pointer_bytes_ + 0x14;
  if (detail_bytes < path_at + 4) return false;
  SKL_TRY(const auto front, data_.at(detail_at, path_at + 4));
  if (is_read) {
    access.is_paging = (u32(front, 8) & kPagingFlag) != 0;
    access.length_bytes = u32(front, 0x10);
    access.offset_bytes = number_at(front, pointer_bytes_ == 8 ? 0x20 : 0x18, 8);
  }
  const uint64_t told = number_at(front, path_at, 2);
  const bool is_ascii = (told & 0x8000) != 0;
  const uint64_t path_bytes = (told & 0x7fff) * (is_ascii ? 1 : 2);
  if (path_bytes == 0 || path_bytes > detail_bytes - (path_at + 4)) return false;
  SKL_TRY(const auto path, data_.at(detail_at + path_at + 4, path_bytes));
  path_.clear();
  if (is_ascii)
    path_ = path;
  else
    append_utf16(path_, path, false);
  SKL_TRY(const auto came, length_that_came(offset, event, event_bytes));
  if (is_read && access.status == 0 && came)
    access.length_bytes = std::min<uint64_t>(access.length_bytes, *came);
  SKL_TRY_DO(events_.access(access, path_));
  return true;
}

// The detail holds the requested length. If fewer bytes were delivered, their number follows the
// event.
Result<std::optional<uint32_t>> PmlReader::length_that_came(uint64_t offset, std::string_view event,
                                                            uint64_t event_bytes) {
  const uint32_t extra = u32(event, 0x30);
  if (extra < event_bytes) return std::nullopt;
  SKL_TRY(const auto size, data_.at(offset + extra, 2));
  if (number_at(size, 0, 2) < 4) return std::nullopt;
  SKL_TRY(const auto length, data_.at(offset + extra + 2, 4));
  return u32(length, 0);
}

bool recognise_procmon_pml(std::string_view front) {
  return front.starts_with("PML_");
}

Result<void> parse_procmon_pml(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                               ImportReport& report) {
  SKL_TRY(const auto source, spool(stream));
  return PmlReader(*source, sink, report).read();
}

}  // namespace

const Dialect kProcmonPmlDialect = {
    "procmon-pml", "Process Monitor's own format, which begins with PML_", recognise_procmon_pml,
    parse_procmon_pml,
    "let ReadFile through Process Monitor's filter to have what is read of them"};

}  // namespace seekless

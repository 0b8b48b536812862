#include "packer/record/internal/process_records.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "packer/trace/procmon_events.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

// Returns a handle's number: handles have 32 significant bits on every Windows.
int32_t number_of(uint64_t handle) {
  return static_cast<int32_t>(static_cast<uint32_t>(handle));
}

// Converts to UTF-8: malformed UTF-16 becomes U+FFFD, and backslashes become slashes.
std::string slashed_utf8(const std::u16string& text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  static_assert(std::endian::native == std::endian::little);
  const std::string_view bytes(reinterpret_cast<const char*>(text.data()), 2 * text.size());
  std::string out;
  // The text ends with the first half of a surrogate pair.
  if (append_utf16(out, bytes, false) > 0) out += kReplacement;
  std::ranges::replace(out, '\\', '/');
  return out;
}

bool begins_with_drive(std::string_view path) {
  const char letter = path.empty() ? '\0' : static_cast<char>(path[0] | 0x20);
  return path.size() > 3 && letter >= 'a' && letter <= 'z' && path[1] == ':' && path[2] == '/';
}

}  // namespace

int64_t TickClock::ns_of(int64_t at_ticks) const {
  const auto since = static_cast<double>(at_ticks) - static_cast<double>(ticks);
  if (!(std::abs(since) < 9e15))
    return ns;  // larger numbers exceed a double's precision, so they are nonsense
  const int64_t count = at_ticks - ticks;
  const int64_t per_second = std::max<int64_t>(ticks_per_second, 1);
  const int64_t seconds = count / per_second;
  if (seconds >= kTimeLimitNs / kSecondNs - 1 - ns / kSecondNs) return kTimeLimitNs;
  const int64_t rest = count % per_second;  // below 2^33 if counters run at 10 MHz
  const auto rest_ns =
      static_cast<int64_t>(static_cast<double>(rest) * 1e9 / static_cast<double>(per_second));
  return std::clamp<int64_t>(ns + seconds * kSecondNs + rest_ns, 0, kTimeLimitNs);
}

std::optional<std::string> path_of_nt_name(const std::u16string& name,
                                           const DriveOfDevice& drive_of) {
  std::string text = slashed_utf8(name);
  for (const std::string_view front : {"/\?\?/", "/DosDevices/", "/GLOBAL?\?/", "//?/"}) {
    if (!text.starts_with(front)) continue;
    const std::string_view rest = std::string_view(text).substr(front.size());
    if (rest.starts_with("UNC/")) return "//" + std::string(rest.substr(4));
    // This is a path of Wine without a drive.
    if (rest.starts_with("unix/")) return std::string(rest.substr(4));
    if (!begins_with_drive(rest)) return std::nullopt;
    return std::string(rest);
  }
  constexpr std::string_view kDevice = "/Device/", kNetwork = "/Device/Mup/";
  if (text.starts_with(kNetwork)) return "//" + text.substr(kNetwork.size());
  if (!text.starts_with(kDevice)) return std::nullopt;
  const size_t end = text.find('/', kDevice.size());
  if (end == std::string::npos) return std::nullopt;
  std::string device = text.substr(0, end);
  std::ranges::replace(device, '/', '\\');
  const std::string drive = drive_of(device);
  if (drive.empty()) return std::nullopt;
  return drive + text.substr(end);
}

Result<void> ProcessRecords::take(const FileRecord& record, const TickClock& clock) {
  using enum RecordKind;
  Event event;
  event.start_ns = clock.ns_of(record.start_ticks);
  event.duration_ns = std::max<int64_t>(clock.ns_of(record.end_ticks) - event.start_ns, 0);
  event.process = process_;
  event.thread = record.thread;
  const int32_t handle = number_of(record.handle);
  switch (record.kind) {
    case open:
      return this->open(record, event);
    case known:
      return this->known(record);
    case close:
      files_.close(handle);
      unbuffered_.erase(handle);
      section_bytes_.erase(static_cast<uint32_t>(record.handle));
      return {};
    case completed:
      return complete(record, event, clock);
    case map:
      return this->map(record, event);
    default:
      break;
  }
  const std::shared_ptr<OpenDescription> file = files_.find(handle);
  if (file == nullptr) return {};
  switch (record.kind) {
    case duplicate:
      files_.set(number_of(record.other), file);
      if (unbuffered_.contains(handle)) unbuffered_.insert(number_of(record.other));
      return {};
    case section:
      files_.set(number_of(record.other), file);
      section_bytes_[static_cast<uint32_t>(record.other)] = record.length;
      return {};
    case position:
      if (record.offset <= kPlaceLimitBytes) file->position_bytes = record.offset;
      return {};
    case read:
      return this->read(*file, record, record.length, event);
    case pending:
      if (pending_.size() < kMaxPending) pending_[record.other] = {record, file};
      return {};
    default:
      return {};
  }
}

std::optional<uint32_t> ProcessRecords::file_read_past_cache(const FileRecord& record) const {
  if (record.kind != RecordKind::read && record.kind != RecordKind::pending) return std::nullopt;
  const std::shared_ptr<OpenDescription> file = files_.find(number_of(record.handle));
  if (file == nullptr || !unbuffered_.contains(number_of(record.handle))) return std::nullopt;
  return file->path;
}

void ProcessRecords::set_mode(int32_t handle, OpenDescription& file, uint32_t flags) {
  file.moves_always = (flags & kIsSynchronous) != 0;
  if ((flags & kIsUnbuffered) != 0)
    unbuffered_.insert(handle);
  else
    unbuffered_.erase(handle);
}

Result<void> ProcessRecords::open(const FileRecord& record, Event& event) {
  const auto path = path_of_nt_name(record.text, drive_of_);
  if (!path) return {};
  const int32_t error = os_error_of_status(static_cast<uint32_t>(record.other));
  const bool is_open = error == 0;
  const int32_t handle = number_of(record.handle);
  auto opened = calls_.open(files_, *path, is_open ? std::optional(handle) : std::nullopt, error,
                            (record.flags & kIsForReading) != 0, event);
  if (const auto file = is_open ? files_.find(handle) : nullptr)
    set_mode(handle, *file, record.flags);
  return only_errors(opened);
}

Result<void> ProcessRecords::known(const FileRecord& record) {
  const auto path = path_of_nt_name(record.text, drive_of_);
  if (!path) return {};
  SKL_TRY(auto file, calls_.adopt(files_, number_of(record.handle), *path,
                                  std::min(record.offset, kPlaceLimitBytes)));
  set_mode(number_of(record.handle), *file, record.flags);
  return {};
}

Result<void> ProcessRecords::read(OpenDescription& file, const FileRecord& record,
                                  uint64_t length_bytes, Event& event) {
  constexpr uint64_t kMostBytes = UINT32_MAX;  // Windows' limit of one call
  if (length_bytes == 0 || length_bytes > kMostBytes) return {};
  const bool stands = (record.flags & kIsWhereItStands) != 0;
  return only_errors(calls_.read(file, stands ? std::nullopt : std::optional(record.offset),
                                 static_cast<int64_t>(length_bytes), event));
}

Result<void> ProcessRecords::complete(const FileRecord& record, Event& event,
                                      const TickClock& clock) {
  const auto found = pending_.find(record.other);
  if (found == pending_.end()) return {};
  const PendingRead begun = std::move(found->second);
  pending_.erase(found);
  event.start_ns = clock.ns_of(begun.record.start_ticks);
  event.duration_ns = std::max<int64_t>(clock.ns_of(record.end_ticks) - event.start_ns, 0);
  event.thread = begun.record.thread;
  return read(*begun.file, begun.record, std::min(record.length, begun.record.length), event);
}

// Adds a mapping. A view ends with its page, and a mapped program with its last section in memory,
// so neither shows where the file ends.
Result<void> ProcessRecords::map(const FileRecord& record, Event& event) {
  const auto file = files_.find(number_of(record.handle));
  const auto size = section_bytes_.find(static_cast<uint32_t>(record.handle));
  if (file == nullptr || size == section_bytes_.end() || record.offset >= size->second) return {};
  const uint64_t length = std::min({record.length, size->second - record.offset, kPlaceLimitBytes});
  if (record.offset > kPlaceLimitBytes) return {};
  return only_errors(
      calls_.map(*file, static_cast<int64_t>(record.offset), static_cast<int64_t>(length), event));
}

Result<void> ProcessRecords::finish(const TickClock& clock) {
  for (const auto& [number, begun] : std::exchange(pending_, {})) {
    Event event;
    event.start_ns = clock.ns_of(begun.record.start_ticks);
    event.process = process_;
    event.thread = begun.record.thread;
    SKL_TRY_DO(read(*begun.file, begun.record, begun.record.length, event));
  }
  return {};
}

}  // namespace seekless

#include "packer/trace/procmon_events.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/base/windows_names.h"
#include "packer/trace/internal/numbers.h"

namespace seekless {
namespace {

constexpr uint32_t kSuccess = 0;
constexpr uint32_t kEndOfFile = 0xc0000011;
constexpr uint32_t kOtherFailure = 0xc0000001;

// Maps Process Monitor's name of an NTSTATUS to the nearest POSIX error.
struct KnownStatus {
  std::string_view name;
  uint32_t value;
  int32_t os_error;
};
constexpr std::array kStatuses = {
    KnownStatus{"SUCCESS", kSuccess, 0},
    KnownStatus{"END OF FILE", kEndOfFile, EIO},
    KnownStatus{"NAME NOT FOUND", 0xc0000034, ENOENT},
    KnownStatus{"PATH NOT FOUND", 0xc000003a, ENOENT},
    KnownStatus{"NO SUCH FILE", 0xc000000f, ENOENT},
    KnownStatus{"DELETE PENDING", 0xc0000056, ENOENT},
    KnownStatus{"ACCESS DENIED", 0xc0000022, EACCES},
    KnownStatus{"PRIVILEGE NOT HELD", 0xc0000061, EPERM},
    KnownStatus{"SHARING VIOLATION", 0xc0000043, EBUSY},
    KnownStatus{"NAME COLLISION", 0xc0000035, EEXIST},
    KnownStatus{"IS DIRECTORY", 0xc00000ba, EISDIR},
    KnownStatus{"NOT A DIRECTORY", 0xc0000103, ENOTDIR},
    KnownStatus{"NAME INVALID", 0xc0000033, EINVAL},
    KnownStatus{"BAD NETWORK PATH", 0xc00000be, ENOENT},
    KnownStatus{"BAD NETWORK NAME", 0xc00000cc, ENOENT},
    KnownStatus{"REPARSE", 0x104, 0},
    KnownStatus{"OPLOCK BREAK IN PROGRESS", 0x108, 0},
};

uint32_t status_of(std::string_view name) {
  for (const KnownStatus& status : kStatuses)
    if (status.name == name) return status.value;
  return kOtherFailure;
}

// Returns the end of the field at the front of a detail: the last comma (followed by a space or
// line end) before the next field.
size_t end_of_field(std::string_view detail) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r'; };
  size_t end = 0;
  while (end < detail.size() && detail[end] != '\n' &&
         !(detail[end] == ',' && end + 1 < detail.size() && is_space(detail[end + 1])))
    ++end;
  return end;
}

// Reads "Desired Access: Generic Read/Write, Disposition: Open, Options: Directory, ...". Returns
// false for opens of folders, and for opens only for writing or for attributes. Returns true if the
// detail doesn't say.
bool is_for_reading(std::string_view detail) {
  constexpr std::string_view kAccess = "Desired Access: ";
  const size_t begin = detail.find(kAccess);
  if (begin == std::string_view::npos) return true;
  const size_t end = std::min(detail.find("Disposition: ", begin), detail.size());
  const std::string_view access = detail.substr(begin, end - begin);
  const auto asks_for = [&](std::string_view right) { return access.contains(right); };
  const bool reads = asks_for("Generic Read") || asks_for("Read Data") || asks_for("Execute") ||
                     asks_for("All Access") || asks_for("Maximum Allowed");
  return reads && !detail.contains("Options: Directory") && !detail.contains(", Directory");
}

int64_t fraction_ns(std::string_view digits) {
  int64_t fraction = 0;
  for (size_t i = 0; i < 9; ++i)
    fraction = fraction * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return fraction;
}

// Parses a duration such as "0.0000074", with any decimal mark.
int64_t duration_of(std::string_view text) {
  const auto mark = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view whole(text.begin(), mark);
  if (whole.empty() || whole.size() > 9 || mark == text.end()) return kUnknownDuration;
  const std::string_view fraction(mark + 1, text.end());
  if (!std::all_of(fraction.begin(), fraction.end(), is_digit)) return kUnknownDuration;
  int64_t seconds = 0;
  std::from_chars(whole.data(), whole.data() + whole.size(), seconds);
  return std::min(seconds * kSecondNs + fraction_ns(fraction), kTimeLimitNs);
}

// Lists the marks for AM in the Windows locales that have them, in small letters.
constexpr std::array<std::string_view, 16> kMorning = {
    "am",   "a.m.", "a. m.", "a.m", "上午", "午前",   "오전", "πμ",
    "π.μ.", "ص",    "sa",    "ق.ظ", "de.",  "पूर्वाह्न", "เช้า",  "pd"};
constexpr std::array<std::string_view, 16> kAfternoon = {
    "pm",   "p.m.", "p. m.", "p.m", "下午", "午後",   "오후", "μμ",
    "μ.μ.", "م",    "ch",    "ب.ظ", "du.",  "अपराह्न", "บ่าย",  "md"};

bool is_any_of(std::string_view text, std::span<const std::string_view> marks) {
  return std::find(marks.begin(), marks.end(), text) != marks.end();
}

// Returns the text in small letters, without spaces (of any width) and direction marks at its ends.
std::string bare(std::string_view text) {
  constexpr std::array<std::string_view, 5> kSpaces = {" ", "\xc2\xa0", "\xe2\x80\xaf",
                                                       "\xe2\x80\x8e", "\xe2\x80\x8f"};
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const std::string_view space : kSpaces) {
      if (text.empty()) return {};
      if (text.starts_with(space))
        text.remove_prefix(space.size());
      else if (text.ends_with(space))
        text.remove_suffix(space.size());
      else
        continue;
      is_shorter = true;
    }
  }
  std::string small(text);
  for (char& c : small) c = lower_case(c);
  return small;
}

int64_t hour_of_day(int64_t hour, std::string_view before, std::string_view after) {
  if (before.empty() && (after.empty() || hour > 12)) return hour;
  for (const std::string_view side : {before, after}) {
    if (side.empty()) continue;
    const std::string mark = bare(side);
    if (is_any_of(mark, kAfternoon)) return hour < 12 ? hour + 12 : hour;
    if (is_any_of(mark, kMorning)) return hour == 12 ? 0 : hour;
  }
  return hour;
}

}  // namespace

int32_t os_error_of_status(uint32_t status) {
  for (const KnownStatus& known : kStatuses)
    if (known.value == status) return known.os_error;
  return status < 0x80000000 ? 0 : EIO;
}

std::optional<uint64_t> procmon_number(std::string_view detail, std::string_view key) {
  const size_t found = detail.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  detail.remove_prefix(found + key.size());
  return parse_number(detail.substr(0, end_of_field(detail)));
}

std::optional<int64_t> procmon_time_of_day(std::string_view text) {
  std::array<std::string_view, 4> groups;
  size_t count = 0;
  size_t begin = 0;  // start of the time itself
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    size_t after = at;
    while (after < text.size() && is_digit(text[after])) ++after;
    if (after > at) {
      if (count == groups.size()) return std::nullopt;
      if (count == 0) begin = at;
      groups[count++] = text.substr(at, after - at);
      end = after;
    }
    at = after + 1;
  }
  if (count < 3) return std::nullopt;
  std::array<int64_t, 3> parts{};
  for (size_t i = 0; i < 3; ++i) {
    if (groups[i].size() > 2) return std::nullopt;
    std::from_chars(groups[i].data(), groups[i].data() + groups[i].size(), parts[i]);
  }
  const int64_t hour = hour_of_day(parts[0], text.substr(0, begin), text.substr(end));
  if (hour > 23 || parts[1] > 59 || parts[2] > 60) return std::nullopt;
  return ((hour * 60 + parts[1]) * 60 + parts[2]) * kSecondNs + fraction_ns(groups[3]);
}

// Returns the time since the first row, and continues past midnight. Dates aren't used, because the
// order of day and month depends on the locale.
std::optional<int64_t> ProcmonEvents::time_of(std::string_view text) {
  const auto time = procmon_time_of_day(text);
  if (!time) return std::nullopt;
  if (!first_ns_) first_ns_ = *time;
  int64_t now_ns = *time - *first_ns_ + days_ns_;
  if (now_ns < last_ns_ - kDayNs / 2) {
    if (days_ns_ > kTimeLimitNs - 2 * kDayNs) return std::nullopt;
    days_ns_ += kDayNs;
    now_ns += kDayNs;
  }
  last_ns_ = now_ns;
  return now_ns;
}

Result<bool> ProcmonEvents::row(const ProcmonRow& row) {
  const auto time = time_of(row.time_of_day);
  if (!time) return false;
  ProcmonAccess access;
  if (row.operation == "CreateFile") {
    access.operation = ProcmonAccess::Operation::open;
    // This matters only if the log holds no reads.
    access.is_for_reading = report_.read_rows > 0 || is_for_reading(row.detail);
  } else if (row.operation != "ReadFile") {
    return true;
  }
  const auto process = parse_id(row.pid);
  const auto thread = row.tid.empty() ? process : parse_id(row.tid);
  if (!process || !thread || row.path.empty()) return false;
  access.start_ns = *time;
  access.duration_ns = duration_of(row.duration);
  access.process = *process;
  access.thread = *thread;
  access.status = status_of(row.result);
  if (access.operation == ProcmonAccess::Operation::read) {
    const auto offset = procmon_number(row.detail, "Offset: ");
    const auto length = procmon_number(row.detail, "Length: ");
    const bool has_data = access.status == kSuccess || access.status == kEndOfFile;
    if (has_data && (!offset || !length)) return false;
    access.offset_bytes = offset.value_or(0);
    access.length_bytes = length.value_or(0);
    access.is_paging = row.detail.find("Paging I/O") != std::string_view::npos;
  }
  SKL_TRY_DO(this->access(access, row.path));
  return true;
}

Result<uint32_t> ProcmonEvents::number_of(std::string_view path) {
  const auto [number, is_new] = numbers_.number_of(path);
  if (!is_new) return number;
  files_.push_back(file_numbers_.number_of(one_windows_spelling(path)).number);
  SKL_TRY_DO(sink_.add_path(path));
  return number;
}

bool ProcmonEvents::is_read(const ProcmonAccess& access, uint32_t file) {
  if (access.length_bytes == kWholeFile) return true;
  const bool is_at_end = access.status == kEndOfFile;
  const bool is_in_limits = access.offset_bytes <= kPlaceLimitBytes &&
                            access.length_bytes <= kPlaceLimitBytes - access.offset_bytes;
  if ((access.status != kSuccess && !is_at_end) || !is_in_limits) {
    ++report_.failed_read_rows;
    return false;
  }
  // Windows answers END OF FILE only to reads that begin at or past the end, and delivers nothing;
  // the row has the requested length. A read that begins before the end succeeds, even if it
  // delivers less.
  if (access.length_bytes == 0 || is_at_end) {
    ++report_.empty_read_rows;
    return false;
  }
  const uint64_t end = access.offset_bytes + access.length_bytes;
  if (!access.is_paging) cached_.add(file, access.offset_bytes, end);
  return true;
}

Result<void> ProcmonEvents::access(ProcmonAccess access, std::string_view path) {
  SKL_TRY(const auto number, number_of(path));
  Event event{.start_ns = access.start_ns,
              .duration_ns = access.duration_ns,
              .path = number,
              .process = access.process,
              .thread = access.thread,
              .kind = EventKind::open,
              .is_for_reading = access.is_for_reading};
  if (access.operation == ProcmonAccess::Operation::read) {
    ++report_.read_rows;
    if (access.is_paging) ++report_.paging_rows;
    if (!is_read(access, files_[number])) return {};
    event.kind = EventKind::read;
    event.is_for_reading = true;
    event.offset_bytes = access.offset_bytes;
    event.length_bytes = access.length_bytes;
  } else {
    event.os_error = os_error_of_status(access.status);
  }
  held_.push_back({event, event.kind == EventKind::read && access.is_paging});
  return held_.size() > kMaxHeld ? hand_on_first() : Result<void>{};
}

Result<void> ProcmonEvents::hand_on_first() {
  const PendingAccess first = held_.front();
  held_.pop_front();
  const Event& event = first.event;
  if (first.is_paging && cached_.touches(files_[event.path], event.offset_bytes,
                                         event.offset_bytes + event.length_bytes)) {
    ++report_.explained_paging_rows;
    return {};
  }
  return sink_.add_event(first.event);
}

Result<void> ProcmonEvents::finish(const std::string& file) {
  while (!held_.empty()) SKL_TRY_DO(hand_on_first());
  if (report_.failed_read_rows > 0)
    report_.warnings.push_back(
        fmt::format("{}: reads that failed are left out: {}", file, report_.failed_read_rows));
  return {};
}

}  // namespace seekless

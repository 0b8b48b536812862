#include "packer/trace/internal/strace_files.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace seekless {

StraceCallKind strace_call_kind(std::string_view name) {
  // Most lines of a game's log are these, and comparing costs less than a hash.
  if (name == "read") return StraceCallKind::read;
  if (name == "close") return StraceCallKind::close;
  if (name == "openat") return StraceCallKind::openat;
  if (name == "pread64") return StraceCallKind::pread;
  if (name == "lseek") return StraceCallKind::lseek;
  static const std::unordered_map<std::string_view, StraceCallKind> kinds = {
      {"_llseek", StraceCallKind::llseek},
      {"accept", StraceCallKind::makes_descriptor},
      {"accept4", StraceCallKind::makes_descriptor},
      {"chdir", StraceCallKind::chdir},
      {"clone", StraceCallKind::clone},
      {"clone3", StraceCallKind::clone},
      {"close", StraceCallKind::close},
      {"close_range", StraceCallKind::close_range},
      {"copy_file_range", StraceCallKind::copy_range},
      {"creat", StraceCallKind::creat},
      {"dup", StraceCallKind::dup},
      {"dup2", StraceCallKind::dup2},
      {"dup3", StraceCallKind::dup2},
      {"epoll_create", StraceCallKind::makes_descriptor},
      {"epoll_create1", StraceCallKind::makes_descriptor},
      {"eventfd", StraceCallKind::makes_descriptor},
      {"eventfd2", StraceCallKind::makes_descriptor},
      {"execve", StraceCallKind::execve},
      {"execveat", StraceCallKind::execve},
      {"fchdir", StraceCallKind::fchdir},
      {"fcntl", StraceCallKind::fcntl},
      {"fcntl64", StraceCallKind::fcntl},
      {"fork", StraceCallKind::clone},
      {"inotify_init", StraceCallKind::makes_descriptor},
      {"inotify_init1", StraceCallKind::makes_descriptor},
      {"io_submit", StraceCallKind::asynchronous},
      {"io_uring_enter", StraceCallKind::asynchronous},
      {"io_uring_setup", StraceCallKind::makes_descriptor},
      {"lseek", StraceCallKind::lseek},
      {"memfd_create", StraceCallKind::makes_descriptor},
      {"mmap", StraceCallKind::mmap},
      {"mmap2", StraceCallKind::mmap},
      {"open", StraceCallKind::open},
      {"openat", StraceCallKind::openat},
      {"openat2", StraceCallKind::openat},
      {"pipe", StraceCallKind::makes_pair},
      {"pipe2", StraceCallKind::makes_pair},
      {"pread", StraceCallKind::pread},
      {"pread64", StraceCallKind::pread},
      {"preadv", StraceCallKind::pread},
      {"preadv2", StraceCallKind::preadv2},
      {"read", StraceCallKind::read},
      {"readv", StraceCallKind::read},
      {"sendfile", StraceCallKind::sendfile},
      {"sendfile64", StraceCallKind::sendfile},
      {"signalfd4", StraceCallKind::makes_descriptor},
      {"socket", StraceCallKind::makes_descriptor},
      {"socketpair", StraceCallKind::makes_pair},
      {"splice", StraceCallKind::copy_range},
      {"timerfd_create", StraceCallKind::makes_descriptor},
      {"vfork", StraceCallKind::clone},
  };
  const auto found = kinds.find(name);
  return found == kinds.end() ? StraceCallKind::other : found->second;
}

namespace {

constexpr StraceFlag kWriteOnly = {"WRONLY", 1, 3};
constexpr StraceFlag kDirectory = {"DIRECTORY", 0x10000, 0x10000};
constexpr StraceFlag kPathOnly = {"PATH", 0x200000, 0x200000};
constexpr StraceFlag kClosesOnExec = {"CLOEXEC", 0x80000, 0x80000};
constexpr StraceFlag kReadable = {"READ", 1, 1};
constexpr StraceFlag kAnonymous = {"ANONYMOUS", 0x20, 0x20};
constexpr StraceFlag kSetFlags = {"SETFD", 2, UINT64_MAX};
constexpr StraceFlag kSetsClosesOnExec = {"CLOEXEC", 1, 1};
constexpr StraceFlag kDuplicate = {"DUPFD", 0, UINT64_MAX};
constexpr StraceFlag kDuplicateClosesOnExec = {"DUPFD_CLOEXEC", 0x406, UINT64_MAX};
constexpr StraceFlag kRangeClosesOnExec = {"CLOEXEC", 4, 4};

constexpr int32_t kLastStandard = 2;  // descriptors 0 to 2 are usually the terminal

// Limits joined paths. An opened folder's path is the front of other paths, so a malicious trace
// could make each path longer than the last. PATH_MAX limits one path; the sum is limited to that
// of a million paths.
constexpr size_t kMaxJoinedBytes = 4096;
constexpr size_t kMaxStoredBytes = size_t{256} << 20;

// Parses "[4096]", or "[4096] => [8192]" of versions that also print the new value; "NULL" stands
// for the position. Returns a negative value if the text isn't an offset.
std::optional<int64_t> parse_given_place(std::string_view argument) {
  if (!argument.starts_with('[')) return std::nullopt;
  const size_t close = argument.find(']');
  if (close == std::string_view::npos) return -1;
  return parse_strace_number(argument.substr(1, close - 1)).value_or(-1);
}

int32_t descriptor_number(std::string_view argument) {
  const auto descriptor = parse_descriptor(argument);
  return descriptor ? descriptor->number : -1;
}

}  // namespace

Result<bool> StraceFiles::apply(const FileCaller& caller, StraceCallKind kind,
                                const StraceCall& call, int64_t start_ns) {
  using enum StraceCallKind;
  if (!call.has_result) return true;
  Event event;
  event.start_ns = start_ns;
  event.duration_ns = std::min(call.duration_ns, kTimeLimitNs);
  event.process = caller.process;
  event.thread = caller.thread;
  switch (kind) {
    case open:
    case openat:
    case creat:
      return apply_open(caller, kind, call, event);
    default:
      break;
  }
  if (call.result < 0 && !call.error.empty()) return true;
  switch (kind) {
    case read:
    case pread:
    case preadv2:
      return apply_read(caller, kind, call, event);
    case mmap:
      return apply_map(caller, call, event);
    case sendfile:
    case copy_range:
      return apply_copy(caller, kind, call, event);
    case chdir:
    case fchdir:
      return apply_chdir(caller, kind, call);
    case asynchronous:
      ++unseen_requests_;
      return true;
    case lseek:
    case llseek:
      return apply_seek(caller, kind, call);
    case dup:
    case dup2:
    case fcntl:
      return apply_duplicate(caller, kind, call);
    case close:
      return apply_close(caller, call);
    case close_range:
      return apply_close_range(caller, call);
    case makes_descriptor:
      caller.files.set(static_cast<int32_t>(call.result), nullptr);
      return true;
    case makes_pair:
      return apply_pair(caller, call);
    default:
      return true;
  }
}

Result<bool> StraceFiles::apply_front(const FileCaller& caller, StraceCallKind kind,
                                      const StraceCall& front) {
  using enum StraceCallKind;
  switch (kind) {
    case close:
      apply_close(caller, front);
      return false;
    case read:
    case pread:
    case preadv2:
    case sendfile:
    case copy_range: {
      SKL_TRY(const auto file, file_of(caller, front.argument(kind == sendfile ? 1 : 0)));
      return file != nullptr;
    }
    case open:
    case openat:
      return true;
    case mmap:
      return !has_strace_flag(front.argument(3), kAnonymous);
    default:
      return false;
  }
}

Result<bool> StraceFiles::apply_read(const FileCaller& caller, StraceCallKind kind,
                                     const StraceCall& call, Event& event) {
  has_seen_reads_ = true;
  SKL_TRY(const auto file, file_of(caller, call.argument(0)));
  if (call.result <= 0) return true;
  if (file == nullptr) {
    return count_lost(caller, call.argument(0), call.result);
  }
  std::optional<uint64_t> offset_bytes;
  if (kind != StraceCallKind::read) {
    const auto given = parse_strace_number(call.argument(3));
    if (!given || *given < (kind == StraceCallKind::preadv2 ? -1 : 0)) return false;
    if (*given >= 0) offset_bytes = static_cast<uint64_t>(*given);
  }
  ++told_reads_;
  told_bytes_ += static_cast<uint64_t>(call.result);
  return calls_.read(*file, offset_bytes, call.result, event);
}

bool StraceFiles::count_lost(const FileCaller& caller, std::string_view argument, int64_t bytes) {
  const auto descriptor = parse_descriptor(argument);
  if (!descriptor) return false;
  if (caller.files.knows(descriptor->number) || descriptor->number <= kLastStandard) return true;
  ++unknown_reads_;
  unknown_bytes_ += static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
  return true;
}

// Bytes that are copied from a file without passing through the program count as read.
Result<bool> StraceFiles::apply_copy(const FileCaller& caller, StraceCallKind kind,
                                     const StraceCall& call, Event& event) {
  has_seen_reads_ = true;
  const bool is_sendfile = kind == StraceCallKind::sendfile;
  SKL_TRY(const auto file, file_of(caller, call.argument(is_sendfile ? 1 : 0)));
  if (call.result <= 0) return true;
  if (file == nullptr) return count_lost(caller, call.argument(is_sendfile ? 1 : 0), call.result);
  const auto given = parse_given_place(call.argument(is_sendfile ? 2 : 1));
  if (given && *given < 0) return false;
  const auto offset_bytes = given ? std::optional(static_cast<uint64_t>(*given)) : std::nullopt;
  return calls_.read(*file, offset_bytes, call.result, event);
}

// The working folder is stored like a file that is open under the number AT_FDCWD.
Result<bool> StraceFiles::apply_chdir(const FileCaller& caller, StraceCallKind kind,
                                      const StraceCall& call) {
  if (kind == StraceCallKind::fchdir) {
    SKL_TRY(auto file, file_of(caller, call.argument(0)));
    caller.files.set(kStraceCwd, std::move(file));
    return true;
  }
  const uint64_t relative_opens = relative_opens_;
  const auto has_path = read_path(caller, "AT_FDCWD", call.argument(0));
  relative_opens_ = relative_opens;
  if (!has_path) return has_path;
  caller.files.set(kStraceCwd, nullptr);
  if (!*has_path || path_.front() != '/') return true;
  SKL_TRY_DROP(calls_.adopt(caller.files, kStraceCwd, path_, 0));
  return true;
}

Result<bool> StraceFiles::apply_map(const FileCaller& caller, const StraceCall& call,
                                    Event& event) {
  if (!has_strace_flag(call.argument(2), kReadable) || call.argument(4).starts_with('-'))
    return true;
  SKL_TRY(const auto file, file_of(caller, call.argument(4)));
  const auto length_bytes = parse_strace_number(call.argument(1));
  const auto offset_bytes = parse_strace_number(call.argument(5));
  if (!length_bytes || !offset_bytes || *offset_bytes < 0) return false;
  if (file == nullptr) return count_lost(caller, call.argument(4), 0);
  return calls_.map(*file, *offset_bytes, *length_bytes, event);
}

Result<bool> StraceFiles::apply_open(const FileCaller& caller, StraceCallKind kind,
                                     const StraceCall& call, Event& event) {
  const size_t path_at = kind == StraceCallKind::openat ? 1 : 0;
  read_flags(call.argument(path_at + 1));
  const std::string_view folder = path_at == 1 ? call.argument(0) : std::string_view("AT_FDCWD");
  const auto descriptor = static_cast<int32_t>(call.result);
  const bool is_open = call.result >= 0;
  if (is_open) caller.files.set(descriptor, nullptr);

  Result<bool> has_path = read_annotation(call.result_annotation);
  if (!*has_path && call.result_annotation.empty())
    has_path = read_path(caller, folder, call.argument(path_at));
  if (!has_path) return has_path;
  if (!*has_path) {
    // The descriptor may be a file. Its reads are dropped and counted.
    if (is_open && call.result_annotation.empty()) caller.files.close(descriptor);
    return true;
  }
  const bool is_for_reading = kind != StraceCallKind::creat && flags_.is_for_reading;
  auto opened = calls_.open(caller.files, path_, is_open ? std::optional(descriptor) : std::nullopt,
                            is_open ? 0 : os_error_of_name(call.error), is_for_reading, event);
  if (is_open && flags_.closes_on_exec) caller.files.set_closes_on_exec(descriptor, true);
  return opened;
}

// A program opens most of its files with the same flags, so the last ones are remembered.
void StraceFiles::read_flags(std::string_view flags) {
  if (flags == flags_.text) return;
  flags_.text = flags;
  flags_.is_for_reading = !has_strace_flag(flags, kDirectory) &&
                          !has_strace_flag(flags, kWriteOnly) && !has_strace_flag(flags, kPathOnly);
  flags_.closes_on_exec = has_strace_flag(flags, kClosesOnExec);
}

Result<bool> StraceFiles::apply_seek(const FileCaller& caller, StraceCallKind kind,
                                     const StraceCall& call) {
  SKL_TRY(const auto file, file_of(caller, call.argument(0)));
  std::optional<int64_t> position_bytes = call.result;
  if (kind == StraceCallKind::llseek) {
    // The call looks like "_llseek(3, 1024, [1024], SEEK_SET) = 0".
    const std::string_view place = call.argument(call.count < 2 ? 0 : call.count - 2);
    if (!place.starts_with('[') || !place.ends_with(']')) return false;
    position_bytes = parse_strace_number(place.substr(1, place.size() - 2));
  }
  if (!position_bytes || *position_bytes < 0) return false;
  if (file != nullptr) file->position_bytes = static_cast<uint64_t>(*position_bytes);
  return true;
}

Result<bool> StraceFiles::apply_duplicate(const FileCaller& caller, StraceCallKind kind,
                                          const StraceCall& call) {
  const std::string_view action =
      kind == StraceCallKind::fcntl ? call.argument(1) : std::string_view("F_DUPFD");
  if (has_strace_flag(action, kSetFlags))
    caller.files.set_closes_on_exec(descriptor_number(call.argument(0)),
                                    has_strace_flag(call.argument(2), kSetsClosesOnExec));
  if (!has_strace_flag(action, kDuplicate) && !has_strace_flag(action, kDuplicateClosesOnExec))
    return true;
  SKL_TRY(auto file, file_of(caller, call.argument(0)));
  const auto copy = static_cast<int32_t>(call.result);
  caller.files.set(copy, std::move(file));
  if (has_strace_flag(action, kDuplicateClosesOnExec) ||
      has_strace_flag(call.argument(2), kClosesOnExec))
    caller.files.set_closes_on_exec(copy, true);
  return true;
}

bool StraceFiles::apply_close(const FileCaller& caller, const StraceCall& call) {
  const auto descriptor = parse_descriptor(call.argument(0));
  if (descriptor) caller.files.close(descriptor->number);
  // close(-1) is an error of the program, not of the trace.
  return descriptor.has_value() || parse_strace_number(call.argument(0)).has_value();
}

bool StraceFiles::apply_close_range(const FileCaller& caller, const StraceCall& call) {
  const auto first = parse_strace_number(call.argument(0));
  const auto last = parse_strace_number(call.argument(1));
  if (!first || !last) return false;
  if (has_strace_flag(call.argument(2), kRangeClosesOnExec))
    caller.files.set_closes_on_exec(*first, *last);
  else
    caller.files.close_range(*first, *last);
  return true;
}

bool StraceFiles::apply_pair(const FileCaller& caller, const StraceCall& call) {
  for (size_t i = 0; i < call.count; ++i) {
    std::string_view pair = call.argument(i);
    if (!pair.starts_with('[') || !pair.ends_with(']')) continue;
    pair = pair.substr(1, pair.size() - 2);
    const size_t comma = pair.find(", ");
    if (comma == std::string_view::npos) return false;
    caller.files.set(descriptor_number(pair.substr(0, comma)), nullptr);
    caller.files.set(descriptor_number(pair.substr(comma + 2)), nullptr);
    return true;
  }
  return false;
}

Result<std::shared_ptr<OpenDescription>> StraceFiles::file_of(const FileCaller& caller,
                                                              std::string_view argument) {
  const auto descriptor = parse_descriptor(argument);
  if (!descriptor || descriptor->number < 0) return nullptr;
  auto file = caller.files.find(descriptor->number);
  if (!descriptor->has_annotation) return file;
  // Most names have nothing escaped and are the same as before, so they needn't be copied.
  if (file != nullptr && descriptor->annotation == calls_.path(file->path) &&
      descriptor->annotation.find('\\') == std::string_view::npos)
    return file;
  if (!read_annotation(descriptor->annotation)) {
    caller.files.set(descriptor->number, nullptr);
    return nullptr;
  }
  if (file != nullptr && calls_.path(file->path) == path_) return file;
  // The file was opened before the trace began, or by a call that isn't in it.
  return calls_.adopt(caller.files, descriptor->number, path_, 0);
}

bool StraceFiles::read_annotation(std::string_view annotation) {
  if (!annotation.starts_with('/') && !annotation.starts_with('\\')) return false;
  if (!is_escaped_) {
    path_ = annotation;
  } else if (!unescape_strace(annotation.substr(0, annotation.find('<')), path_)) {
    return false;  // -yy prints "/dev/null<char 1:3>" for a device
  }
  const auto path = path_of_descriptor(path_);
  if (!path) return false;
  path_.resize(path->size());
  return true;
}

Result<bool> StraceFiles::read_path(const FileCaller& caller, std::string_view folder,
                                    std::string_view argument) {
  if (!is_escaped_)
    text_ = argument;
  else if (!parse_strace_string(argument, text_))
    return false;
  if (text_.empty()) return false;
  if (text_.front() != '/') {
    const auto descriptor = parse_descriptor(folder);
    if (!descriptor) return false;
    if (read_annotation(descriptor->annotation)) {
      text_ = path_ + '/' + text_;
    } else if (const auto file = caller.files.find(descriptor->number); file != nullptr) {
      const std::string_view front = calls_.path(file->path);
      if (front.size() + text_.size() < kMaxJoinedBytes && calls_.stored_bytes() < kMaxStoredBytes)
        text_.insert(0, 1, '/').insert(0, front);
    }
  }
  path_ = text_.front() == '/' ? without_dots(text_) : text_;
  if (path_.front() != '/') ++relative_opens_;
  return true;
}

}  // namespace seekless

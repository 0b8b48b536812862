#include "packer/record/internal/call_events.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <unistd.h>

namespace seekless {
namespace {

// Larger numbers are the kernel's internal errors for calls that will be restarted; programs never
// see them.
constexpr int64_t kLastError = 511;

int32_t descriptor_of(const SystemCall& call, size_t index) {
  return static_cast<int32_t>(call.arguments[index]);
}

bool may_give_event(CallKind kind) {
  return kind != CallKind::lseek && kind != CallKind::dup && kind != CallKind::dup2 &&
         kind != CallKind::fcntl && kind != CallKind::unshare;
}

}  // namespace

// Finds a descriptor's file. An unknown descriptor was inherited, received, or made by a call that
// isn't tracked.
Result<std::shared_ptr<OpenDescription>> CallEvents::file_at(const TracedThread& thread,
                                                             int32_t descriptor) {
  if (descriptor < 0) return nullptr;
  if (thread.files->knows(descriptor)) return thread.files->find(descriptor);
  const auto path = tracee_.file_of(thread.id, descriptor);
  if (path)
    return calls_.adopt(*thread.files, descriptor, *path,
                        tracee_.position_of(thread.id, descriptor));
  thread.files->set(descriptor, nullptr);
  return nullptr;
}

Result<void> CallEvents::begin(TracedThread& thread, const SystemCall& call, int64_t now_ns) {
  using enum CallKind;
  SKL_TRY_DO(stop_waiting(thread));
  thread.running.reset();
  RunningCall running{.call = call, .start_ns = now_ns};
  switch (call.kind) {
    case close:
      // Another file may get the number as soon as close has begun.
      thread.files->close(descriptor_of(call, 0));
      return {};
    case close_range:
      if ((call.arguments[2] & CLOSE_RANGE_UNSHARE) != 0) thread.files = thread.files->copy();
      if ((call.arguments[2] & CLOSE_RANGE_CLOEXEC) == 0)
        thread.files->close_range(static_cast<uint32_t>(call.arguments[0]),
                                  static_cast<uint32_t>(call.arguments[1]));
      return {};
    case lseek:
      return begin_seek(thread, std::move(running));
    case clone:
      thread.clone_flags = call.arguments[0];
      thread.running = std::move(running);
      return {};
    case clone3:
      thread.clone_flags = tracee_.read_number(thread.id, call.arguments[0]).value_or(0);
      thread.running = std::move(running);
      return {};
    case io_uring:
      ++io_urings_;
      return {};
    case read:
    case pread:
    case preadv2:
    case copy_file:
      return begin_read(thread, std::move(running), 0);
    case sendfile:
      return begin_read(thread, std::move(running), 1);
    case mmap:
      return begin_read(thread, std::move(running), 4);
    default:
      break;
  }
  // These calls may change which file a number stands for, so this looks the file up before they
  // run.
  if (call.kind == dup || call.kind == dup2 || call.kind == fcntl) {
    SKL_TRY(auto file, file_at(thread, descriptor_of(call, 0)));
    running.file = std::move(file);
  }
  if (may_give_event(call.kind)) running.window = window_.call_begins(now_ns);
  thread.running = std::move(running);
  return {};
}

Result<void> CallEvents::begin_read(TracedThread& thread, RunningCall running,
                                    size_t descriptor_at) {
  const SystemCall& call = running.call;
  SKL_TRY(auto file, file_at(thread, descriptor_of(call, descriptor_at)));
  if (file == nullptr) return {};
  running.file = std::move(file);
  const auto given = static_cast<int64_t>(call.arguments[3]);
  if (call.kind == CallKind::pread || (call.kind == CallKind::preadv2 && given != -1))
    running.offset_bytes = call.arguments[3];
  if (call.kind == CallKind::mmap) running.offset_bytes = call.arguments[5];
  const bool has_place = call.kind == CallKind::sendfile || call.kind == CallKind::copy_file;
  const uint64_t place = call.arguments[call.kind == CallKind::sendfile ? 2 : 1];
  if (has_place && place != 0) running.offset_bytes = tracee_.read_number(thread.id, place);
  running.window = window_.call_begins(running.start_ns);
  thread.running = std::move(running);
  return {};
}

// Applies a seek. Its result can usually be computed in advance, which saves a stop at its end.
Result<void> CallEvents::begin_seek(TracedThread& thread, RunningCall running) {
  SKL_TRY(auto file, file_at(thread, descriptor_of(running.call, 0)));
  if (file == nullptr) return {};
  const auto by = static_cast<int64_t>(running.call.arguments[1]);
  const auto limit = static_cast<int64_t>(kPlaceLimitBytes);
  const auto whence = static_cast<int>(running.call.arguments[2]);
  const auto stands = static_cast<int64_t>(file->position_bytes);
  if (whence == SEEK_SET && by >= 0 && by <= limit) {
    file->position_bytes = static_cast<uint64_t>(by);
    return {};
  }
  if (whence == SEEK_CUR && by >= -stands && by <= limit - std::min(stands, limit)) {
    file->position_bytes = static_cast<uint64_t>(stands + by);
    return {};
  }
  running.file = std::move(file);
  thread.running = std::move(running);
  return {};
}

Result<void> CallEvents::stop_waiting(TracedThread& thread) {
  if (!thread.running || !thread.running->window) return {};
  const auto window = *thread.running->window;
  thread.running->window.reset();
  return window_.call_ends(window);
}

Result<void> CallEvents::end(TracedThread& thread, int64_t result, int64_t now_ns) {
  using enum CallKind;
  if (!thread.running) return {};
  RunningCall running = *std::exchange(thread.running, std::nullopt);
  Event event;
  event.start_ns = running.start_ns;
  event.duration_ns = std::clamp<int64_t>(now_ns - running.start_ns, 0, kTimeLimitNs);
  event.process = thread.process;
  event.thread = thread.id;
  Result<void> done;
  switch (running.call.kind) {
    case open:
    case openat:
    case openat2:
    case creat:
      done = end_open(thread, running, result, event);
      break;
    case dup:
    case dup2:
    case fcntl:
      done = end_duplicate(thread, running, result);
      break;
    case lseek:
      if (result >= 0) running.file->position_bytes = static_cast<uint64_t>(result);
      break;
    case clone:
    case clone3:
      thread.clone_flags = 0;  // a failed call's flags mean nothing
      break;
    case unshare:
      if (result == 0 && (running.call.arguments[0] & CLONE_FILES) != 0)
        thread.files = thread.files->copy();
      break;
    default:
      done = end_read(thread, running, result, event);
  }
  if (!running.window) return done;
  auto ended = window_.call_ends(*running.window);
  return done ? ended : done;
}

Result<void> CallEvents::end_read(TracedThread&, RunningCall& running, int64_t result,
                                  Event& event) {
  if (running.call.kind == CallKind::mmap) {
    // The result is an address, or a negated errno.
    if (static_cast<uint64_t>(result) > static_cast<uint64_t>(-4096)) return {};
    return only_errors(calls_.map(*running.file, static_cast<int64_t>(*running.offset_bytes),
                                  static_cast<int64_t>(running.call.arguments[1]), event));
  }
  if (result <= 0) return {};
  return only_errors(calls_.read(*running.file, running.offset_bytes, result, event));
}

Result<void> CallEvents::end_duplicate(const TracedThread& thread, const RunningCall& running,
                                       int64_t result) {
  if (result >= 0) thread.files->set(static_cast<int32_t>(result), running.file);
  return {};
}

Result<void> CallEvents::end_open(TracedThread& thread, const RunningCall& running, int64_t result,
                                  Event& event) {
  const SystemCall& call = running.call;
  const uint64_t flags = open_flags(thread, call);
  const bool is_for_reading =
      (flags & O_ACCMODE) != O_WRONLY && (flags & (O_PATH | O_DIRECTORY)) == 0;
  if (result >= 0) {
    const auto descriptor = static_cast<int32_t>(result);
    thread.files->set(descriptor, nullptr);
    const auto path = tracee_.file_of(thread.id, descriptor);
    if (!path) return {};
    return only_errors(calls_.open(*thread.files, *path, descriptor, 0, is_for_reading, event));
  }
  if (!is_for_reading || result < -kLastError) return {};
  const auto path = path_argument(thread, call);
  if (!path) return {};
  return only_errors(
      calls_.open(*thread.files, *path, std::nullopt, static_cast<int32_t>(-result), true, event));
}

uint64_t CallEvents::open_flags(const TracedThread& thread, const SystemCall& call) {
  switch (call.kind) {
    case CallKind::open:
      return call.arguments[1];
    case CallKind::openat:
      return call.arguments[2];
    case CallKind::openat2:
      return tracee_.read_number(thread.id, call.arguments[2]).value_or(0);
    default:
      return O_WRONLY;
  }
}

std::optional<std::string> CallEvents::path_argument(const TracedThread& thread,
                                                     const SystemCall& call) {
  const bool has_folder = call.kind == CallKind::openat || call.kind == CallKind::openat2;
  auto text = tracee_.read_string(thread.id, call.arguments[has_folder ? 1 : 0]);
  if (!text || text->empty()) return std::nullopt;
  if (text->front() == '/') return without_dots(*text);
  const int32_t descriptor = has_folder ? descriptor_of(call, 0) : AT_FDCWD;
  const auto folder = descriptor == AT_FDCWD ? tracee_.working_folder(thread.id)
                                             : tracee_.folder_of(thread.id, descriptor);
  if (!folder) return std::nullopt;
  return without_dots(*folder + '/' + *text);
}

}  // namespace seekless

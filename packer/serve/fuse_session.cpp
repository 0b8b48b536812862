#include "packer/serve/fuse_session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include <fuse_log.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace seekless::serve {
namespace {

// libfuse prints all its messages through one function.
struct Said {
  std::mutex mutex;
  std::string text;
};

Said& said() {
  static Said of_libfuse;
  return of_libfuse;
}

void keep_said(fuse_log_level, const char* format, va_list arguments) {
  std::array<char, 512> line = {};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  const std::lock_guard lock(said().mutex);
  said().text += line.data();
}

constexpr uint64_t kStackBytes = 512 * 1024;

// Returns how many bytes of addresses this process may still take; nothing if they aren't limited.
std::optional<uint64_t> left_addresses() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  uint64_t taken_pages = 0;
  std::ifstream("/proc/self/statm") >> taken_pages;
  const uint64_t taken = taken_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, taken);
}

// Limits address space. 64 threads with glibc's 8 MiB of stack, and 64 MiB of heap for each
// processor, could use up most of what a process may have. libfuse takes its threads' stack size
// from here.
void take_little_room() {
  ::setenv("FUSE_THREAD_STACK", std::to_string(kStackBytes).c_str(), 0);
  ::mallopt(M_ARENA_MAX, left_addresses() ? 1 : 2);
}

// Returns how many threads fit into half of the addresses; their work needs the other half. If a
// thread lacks memory, libfuse ends all threads. A call may then get lost, and the game waits for
// its answer for ever: glibc before 2.41 may cancel a thread that has just received a call.
unsigned threads_with_room() {
  constexpr uint64_t kBufferBytes = 1152 * 1024;  // for a call that writes 1 MiB
  const auto left = left_addresses();
  if (!left) return kMostThreads;
  const uint64_t threads = *left / 2 / (kStackBytes + kBufferBytes);
  return static_cast<unsigned>(std::clamp<uint64_t>(threads, 1, kMostThreads));
}

std::string take_said(const std::string& otherwise) {
  const std::lock_guard lock(said().mutex);
  std::string text = std::exchange(said().text, "");
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? otherwise : "'" + text + "'";
}

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

// The session is global, because a signal handler gets only the signal's number.
std::atomic<fuse_session*> session_that_signals_end = nullptr;

// Ends the session. A signal that arrives just before the loop begins to wait wakes nobody, so it
// is sent again until the loop has ended.
void end_session(int) {
  if (fuse_session* session = session_that_signals_end) fuse_session_exit(session);
  ::alarm(1);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

// Sets a handler, unless the parent process has set the signal to be ignored.
void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction before = {};
  if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    handle(signal, handler);
}

void hear_no_signals() {
  ::alarm(0);
  session_that_signals_end = nullptr;
  for (const int signal : kEndingSignals) handle_unless_ignored(signal, SIG_DFL);
  handle(SIGALRM, SIG_DFL);
}

}  // namespace

void allow_many_calls(fuse_conn_info& connection) {
  connection.max_background = kMostThreads;
  connection.congestion_threshold = kMostThreads * 3 / 4;
}

FuseSession::FuseSession(const fuse_lowlevel_ops& calls, void* user,
                         const std::vector<std::string>& options) {
  fuse_set_log_func(keep_said);
  take_little_room();
  std::vector<std::string> words = {"seekless"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
  session_ = fuse_session_new(&arguments, &calls, sizeof(calls), user);
  fuse_opt_free_args(&arguments);
}

FuseSession::~FuseSession() {
  if (session_ == nullptr) return;
  if (hears_signals_) hear_no_signals();
  if (is_mounted_) fuse_session_unmount(session_);
  fuse_session_destroy(session_);
}

Result<void> FuseSession::mount(const std::string& place) {
  place_ = place;
  if (session_ == nullptr)
    return failed(
        {.file = place, .expected = "options that libfuse knows", .found = take_said("a refusal")});
  if (fuse_session_mount(session_, place.c_str()) != 0)
    return failed({.file = place,
                   .expected = "that libfuse mounts there",
                   .found = take_said("a refusal"),
                   .advice = "/dev/fuse must be there and yours to open, and fusermount3 be "
                             "installed (Debian: fuse3)"});
  is_mounted_ = true;
  return {};
}

void FuseSession::be_ended_by_signals() {
  hears_signals_ = true;
  session_that_signals_end = session_;
  handle(SIGPIPE, SIG_IGN);
  handle(SIGALRM, end_session);
  for (const int signal : kEndingSignals) handle_unless_ignored(signal, end_session);
}

void FuseSession::tell_changed(fuse_ino_t file) {
  constexpr off_t kNoBytes = -1;
  // The kernel may have forgotten the file; then the call's failure doesn't matter.
  static_cast<void>(fuse_lowlevel_notify_inval_inode(session_, file, kNoBytes, 0));
}

int FuseSession::take_calls(unsigned most_threads) {
  for (unsigned threads = std::min(threads_with_room(), most_threads);; threads /= 2) {
    fuse_loop_config* config = fuse_loop_cfg_create();
    fuse_loop_cfg_set_max_threads(config, threads);
    const int ended = fuse_session_loop_mt(session_, config);
    fuse_loop_cfg_destroy(config);
    // If a thread lacks memory for its first call, libfuse ends all threads. The kernel keeps the
    // unanswered calls, and fewer threads continue with them.
    if (ended != -ENOMEM || threads == 1) return ended;
    fuse_session_reset(session_);
  }
}

bool FuseSession::is_unmounted() const {
  pollfd device = {fuse_session_fd(session_), 0, 0};
  return ::poll(&device, 1, 0) > 0 && (device.revents & POLLERR) != 0;
}

}  // namespace seekless::serve

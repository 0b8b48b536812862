#include "packer/record/internal/tracer.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/os_error.h"
#include "packer/record/internal/call_filter.h"
#include "packer/record/internal/call_state.h"
#include "packer/record/internal/untraced.h"

namespace seekless {
namespace {

// Kills the program if the recorder dies: every call at which the filter stops would fail without a
// recorder.
constexpr long kOptions = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD |
                          PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                          PTRACE_O_TRACEEXEC;
constexpr int kSystemCallStop = SIGTRAP | 0x80;

// Holds a signal sent to the recorder, which others see as the process that runs the program.
std::atomic<int> signal_to_obey = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets it");

void note_signal(int signal) {
  signal_to_obey.store(signal, std::memory_order_relaxed);
}

// Catches Ctrl-C and similar signals. They reach the program anyway, because it is in the same
// process group. The program decides what they mean; the recorder ends when the program does.
void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = note_signal;  // no SA_RESTART, because waiting must be interrupted
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  // The recorder stops only after the program has stopped.
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) ::signal(signal, SIG_IGN);
}

long trace(int request, uint32_t id, unsigned long address, unsigned long data) {
  return ::ptrace(static_cast<__ptrace_request>(request), static_cast<pid_t>(id), address, data);
}

unsigned long event_message(uint32_t id) {
  unsigned long message = 0;
  trace(PTRACE_GETEVENTMSG, id, 0, reinterpret_cast<unsigned long>(&message));
  return message;
}

std::optional<SystemCall> traced_call(uint32_t id) {
  const auto call = call_at_filter(id);
  if (!call) return std::nullopt;
  for (const TracedCall& traced : kTracedCalls)
    if (traced.number == call->number) return SystemCall{traced.kind, call->arguments};
  return std::nullopt;
}

bool is_group_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// The child reports this when it can't become the program.
struct TracedStartFailure {
  enum class TracerStep : int { filter, exec } step;
  int os_error;
};

[[noreturn]] void become_program(const std::vector<sock_filter>& filter, char* const* arguments,
                                 const std::array<int, 2>& go, int failed_to) {
  // Waits until the recorder closes its end of the pipe, because it is then ready to see the first
  // call.
  ::close(go[1]);
  char byte = 0;
  while (::read(go[0], &byte, 1) < 0 && errno == EINTR) {
  }
  TracedStartFailure failure = {TracedStartFailure::TracerStep::filter,
                                install_call_filter(filter)};
  if (failure.os_error == 0) {
    ::execvp(arguments[0], arguments);
    failure = {TracedStartFailure::TracerStep::exec, errno};
  }
  // The recorder treats an incomplete answer as none.
  [[maybe_unused]] const ssize_t put = ::write(failed_to, &failure, sizeof(failure));
  ::_exit(127);
}

std::unexpected<Error> no_start(const std::string& program, const TracedStartFailure& failure) {
  if (failure.step == TracedStartFailure::TracerStep::filter)
    return std::unexpected(no_call_filter(failure.os_error).error());
  return failed_call(program, "start", failure.os_error,
                     failure.os_error == ENOENT ? "name a program in PATH, or its file" : "");
}

}  // namespace

Result<void> no_ptrace(int os_error) {
  return failed_call("record", "trace the program", os_error,
                     os_error == ENOSYS
                         ? "an emulator of another processor, such as qemu-user, has no ptrace; "
                           "record on a machine with the program's own processor"
                         : "allow ptrace: in a container with --cap-add=SYS_PTRACE, elsewhere with "
                           "sysctl kernel.yama.ptrace_scope=1 or lower");
}

Result<void> no_call_filter(int os_error) {
  return failed_call("record", "filter system calls", os_error,
                     "a kernel with seccomp filters is needed; or record with strace, and import");
}

// Holds the kernel's report that a thread has stopped.
struct Tracer::Stop {
  int signal = 0;
  int event = 0;
};

std::unique_ptr<ProgramRecorder> ProgramRecorder::create(Recording& recording, Warn warn) {
  return std::make_unique<Tracer>(recording, std::move(warn));
}

bool ProgramRecorder::can_attach() {
  return false;
}

Tracer::Tracer(Recording& recording, Warn warn)
    : recording_(recording),
      warn_(std::move(warn)),
      events_(recording.sink(), recording.window(), tracee_) {}

Tracer::~Tracer() = default;

Result<void> Tracer::start(const std::vector<std::string>& command) {
  const std::vector<sock_filter> filter = make_call_filter();
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> go;
  std::array<int, 2> failed_to;
  if (::pipe2(go.data(), O_CLOEXEC) != 0 || ::pipe2(failed_to.data(), O_CLOEXEC) != 0)
    return failed_call("record", "make a pipe", errno);
  const pid_t child = ::fork();
  if (child == 0) become_program(filter, arguments.data(), go, failed_to[1]);
  ::close(go[0]);
  ::close(failed_to[1]);
  TracedStartFailure failure = {};
  auto end_child = [&] {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, __WALL);
    ::close(go[1]);
    ::close(failed_to[0]);
  };
  if (child < 0) return failed_call("record", "start a process", errno);
  if (trace(PTRACE_SEIZE, static_cast<uint32_t>(child), 0, kOptions) != 0) {
    const int os_error = errno;
    end_child();
    return no_ptrace(os_error);
  }
  ::close(std::exchange(go[1], -1));

  const auto id = static_cast<uint32_t>(child);
  for (;;) {
    int status = 0;
    if (::waitpid(child, &status, __WALL) < 0) {
      if (errno == EINTR) continue;
      return failed_call("record", "wait for the program", errno);
    }
    if (!WIFSTOPPED(status)) {
      const bool is_told = ::read(failed_to[0], &failure, sizeof(failure)) == sizeof(failure);
      ::close(failed_to[0]);
      if (is_told) return no_start(command.front(), failure);
      return failed({.file = command.front(), .found = "that it ended before it was started"});
    }
    if (status >> 16 == PTRACE_EVENT_EXEC) break;
    const bool is_signal = status >> 16 == 0 && WSTOPSIG(status) != kSystemCallStop;
    trace(PTRACE_CONT, id, 0, is_signal ? static_cast<unsigned long>(WSTOPSIG(status)) : 0);
  }
  const ProgramImage image = image_of(id);
  if (image.is_32_bit) {
    end_child();
    return failed({.file = image.path,
                   .expected = "a 64-bit program",
                   .found = "one of 32 bits, whose system calls aren't followed",
                   .advice = "record it with strace -f -ttt -y -T, and import that"});
  }
  ::close(failed_to[0]);
  main_ = id;
  add_thread(id, id, std::make_shared<DescriptorTable>(table_entries_));
  look_at_image(threads_.at(id));
  return {};
}

Result<ProgramEnd> Tracer::run() {
  catch_signals();
  let_run(threads_.at(main_));
  while (!is_over_) {
    int status = 0;
    const pid_t id = ::waitpid(-1, &status, __WALL);
    if (id < 0 && errno == ECHILD) break;
    if (id < 0 && errno != EINTR) return failed_call("record", "wait for the program", errno);
    if (id > 0) handle(static_cast<uint32_t>(id), status);
    if (signal_to_obey.load(std::memory_order_relaxed) != 0) obey_signals();
  }
  if (!failure_) return std::unexpected(failure_.error());
  return end_;
}

// Passes on to the program a signal that would end the recorder. Once the program has ended, the
// signal ends the recording, and the processes that the program started.
void Tracer::obey_signals() {
  const int signal = signal_to_obey.exchange(0);
  if (main_ == 0) {
    is_over_ = true;
  } else if (signal == SIGTERM || signal == SIGHUP) {
    ::kill(static_cast<pid_t>(main_), signal);
  }
}

void Tracer::handle(uint32_t id, int status) {
  if (!WIFSTOPPED(status)) {
    remove_thread(id);
    if (id == main_) main_ended(status);
    return;
  }
  const auto known = threads_.find(id);
  TracedThread& thread = known != threads_.end() ? known->second : adopt(id);
  handle_stop(thread, {WSTOPSIG(status), status >> 16});
}

void Tracer::main_ended(int status) {
  main_ = 0;
  if (WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  if (threads_.empty()) return;
  std::string left;
  size_t count = 0;
  for (const auto& [id, thread] : threads_) {
    if (id != thread.process) continue;
    left += fmt::format("{}{}", left.empty() ? "" : ", ", id);
    ++count;
  }
  if (count > 0)
    warn_(
        fmt::format("the program has ended, but not what it started: {} (process {}); recording "
                    "goes on until that ends, too; Ctrl-C ends both",
                    count == 1 ? "one process" : fmt::format("{} processes", count), left));
}

void Tracer::handle_stop(TracedThread& thread, const Stop& stop) {
  if (stop.event != 0) return handle_event(thread, stop);
  if (stop.signal != kSystemCallStop) return let_run(thread, stop.signal);
  call_ends(thread);
  let_run(thread);
}

void Tracer::handle_event(TracedThread& thread, const Stop& stop) {
  switch (stop.event) {
    case PTRACE_EVENT_SECCOMP:
      call_begins(thread);
      break;
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      child_born(thread);
      break;
    case PTRACE_EVENT_EXEC:
      // The thread may have had another number before exec, so `thread` may no longer be the right
      // one.
      return program_begins(thread.id);
    case PTRACE_EVENT_STOP:
      if (is_group_stop(stop.signal)) return stop_group(thread, stop);
      break;
    default:
      break;
  }
  let_run(thread);
}

// Handles a stop of all threads of a process. They stay stopped until the process is continued.
void Tracer::stop_group(TracedThread& thread, const Stop& stop) {
  trace(PTRACE_LISTEN, thread.id, 0, 0);
  // After Ctrl-Z, the shell waits until the recorder stops too; later it will wake both.
  const bool is_job_control = thread.id == main_ && stop.signal != SIGSTOP &&
                              ::getpgid(static_cast<pid_t>(main_)) == ::getpgrp();
  if (is_job_control) ::raise(SIGSTOP);
}

void Tracer::let_run(const TracedThread& thread, int signal) {
  // A thread that was just killed is gone; its end is reported later.
  trace(thread.running ? PTRACE_SYSCALL : PTRACE_CONT, thread.id, 0,
        static_cast<unsigned long>(signal));
}

void Tracer::note(const Result<void>& result) {
  if (!result && failure_) failure_ = result;
}

void Tracer::call_begins(TracedThread& thread) {
  const auto call = traced_call(thread.id);
  if (!call) return;
  const bool is_clone = call->kind == CallKind::clone || call->kind == CallKind::clone3;
  // A child must be tracked even if nothing can be written any more.
  if (recording_.has_failed() && !is_clone) return;
  recording_.give_way();
  const auto lock = recording_.lock();
  const uint64_t io_urings = events_.io_urings();
  note(events_.begin(thread, *call, recording_.now_ns()));
  if (is_clone) take_untraced_flag(thread, *call);
  if (io_urings == 0 && events_.io_urings() > 0)
    warn_(fmt::format("process {} uses io_uring: what it reads by that can't be seen",
                      thread.process));
}

void Tracer::call_ends(TracedThread& thread) {
  const int64_t now_ns = recording_.now_ns();
  const auto result = result_of_call(thread.id);
  if (!result) return;
  put_untraced_flag_back(thread);
  const auto lock = recording_.lock();
  note(events_.end(thread, *result, now_ns));
}

TracedThread& Tracer::add_thread(uint32_t id, uint32_t process,
                                 std::shared_ptr<DescriptorTable> files) {
  if (id == process) ++processes_;
  TracedThread& thread = threads_[id];
  thread = {.id = id, .process = process, .files = std::move(files)};
  return thread;
}

// Adds a thread whose first stop is reported before its birth.
TracedThread& Tracer::adopt(uint32_t id) {
  const Family family = family_of(id);
  std::shared_ptr<DescriptorTable> files;
  bool is_foreign = false;
  for (const auto& [other_id, other] : threads_) {
    if (other.process == family.process) files = other.files;
    if (files == nullptr && other_id == family.parent) {
      files = other.files->copy();
      is_foreign = other.is_foreign;
    }
  }
  if (files == nullptr) files = std::make_shared<DescriptorTable>(table_entries_);
  TracedThread& thread =
      add_thread(id, family.process == 0 ? id : family.process, std::move(files));
  thread.is_foreign = is_foreign;
  return thread;
}

void Tracer::child_born(TracedThread& parent) {
  const auto id = static_cast<uint32_t>(event_message(parent.id));
  // fork and vfork have no flags; the kernel may report children of clone as either.
  const uint64_t flags = std::exchange(parent.clone_flags, 0);
  const auto known = threads_.find(id);
  if (known != threads_.end()) {
    if ((flags & CLONE_FILES) != 0) known->second.files = parent.files;
    return;
  }
  TracedThread& child =
      add_thread(id, (flags & CLONE_THREAD) != 0 ? parent.process : id,
                 (flags & CLONE_FILES) != 0 ? parent.files : parent.files->copy());
  child.is_foreign = parent.is_foreign;
}

// Handles exec: the calling thread is now the process's only thread, under the process's number.
void Tracer::program_begins(uint32_t process) {
  const auto former = static_cast<uint32_t>(event_message(process));
  const auto found = threads_.find(former);
  const TracedThread& caller = found != threads_.end() ? found->second : threads_.at(process);
  const auto lock = recording_.lock();
  // If the previous program was of another kind, its calls on descriptors weren't seen.
  auto files =
      caller.is_foreign ? std::make_shared<DescriptorTable>(table_entries_) : caller.files->copy();
  files->keep_only(tracee_.descriptors(process));
  for (auto at = threads_.begin(); at != threads_.end();) {
    const bool is_gone = at->second.process == process;
    if (is_gone) note(events_.stop_waiting(at->second));
    at = is_gone ? threads_.erase(at) : std::next(at);
  }
  TracedThread& thread = threads_[process];
  thread.id = thread.process = process;
  thread.files = std::move(files);
  look_at_image(thread);
  let_run(thread);
}

void Tracer::look_at_image(TracedThread& thread) {
  const ProgramImage image = image_of(thread.process);
  if (image.is_32_bit) {
    thread.is_foreign = true;
    warn_(
        fmt::format("{} (process {}) is a 32-bit program: what it reads isn't recorded; record "
                    "it with strace -f -ttt -y -T, and import that",
                    image.path, thread.process));
  }
  if (image.is_set_id && ::geteuid() != 0 && ++set_id_programs_ == 1)
    warn_(
        fmt::format("{} is set to run as another user, which isn't allowed to what is "
                    "recorded; it may fail",
                    image.path));
}

void Tracer::remove_thread(uint32_t id) {
  const auto found = threads_.find(id);
  if (found == threads_.end()) return;
  const auto lock = recording_.lock();
  note(events_.stop_waiting(found->second));
  threads_.erase(found);
}

}  // namespace seekless

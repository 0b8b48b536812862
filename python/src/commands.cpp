// Runs the tool's commands as functions, on a separate thread. Meanwhile the caller's thread,
// without the GIL, checks for Ctrl-C and reports progress.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <signal.h>

#include "packer/command/command_line.h"
#include "packer/command/progress.h"
#include "packer/host/interrupt.h"
#include "packer/host/standard_streams.h"
#include "python/src/errors.h"
#include "python/src/module.h"
#include "python/src/text.h"

namespace nb = nanobind;

namespace seekless::python {
namespace {

constexpr auto kLookInterval = std::chrono::milliseconds(50);

// Lets one command run at a time, because some settings apply to the whole process.
std::timed_mutex& running() {
  static std::timed_mutex of_process;
  return of_process;
}

thread_local bool is_in_command = false;

// A command that runs on a separate thread.
class Running {
 public:
  explicit Running(std::vector<std::string> words)
      : line_(words.empty() ? "" : words.front(), ProgressFor::program),
        thread_([this, words = std::move(words)] { work(words); }) {}

  // Returns false while the command runs.
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return answered_.has_value(); });
  }
  Answered take() {
    thread_.join();
    return *std::move(answered_);
  }

 private:
  void work(const std::vector<std::string>& words) {
    Answered answered = run_command(words);
    const std::lock_guard lock(mutex_);
    answered_ = std::move(answered);
    changed_.notify_all();
  }

  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Answered> answered_;
  std::jthread thread_;
};

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void tell(const nb::object& progress) {
  if (progress.is_none()) return;
  if (const auto now = progress_now())
    progress(to_str(now->what), now->done_bytes, now->total_bytes, now->seconds);
}

void wait_for_turn(std::unique_lock<std::timed_mutex>& lock) {
  for (;;) {
    {
      const nb::gil_scoped_release released;
      if (lock.try_lock_for(kLookInterval)) return;
    }
    check_signals();
  }
}

// An exception from the callback or a signal handler is raised again when the command has ended.
Answered watch(Running& command, const nb::object& progress) {
  std::optional<nb::python_error> raised;
  for (;;) {
    {
      const nb::gil_scoped_release released;
      if (command.wait(kLookInterval)) break;
    }
    try {
      check_signals();
      if (!raised) tell(progress);
    } catch (nb::python_error& error) {
      if (!raised) raised.emplace(std::move(error));
      set_interrupted(true);
    }
  }
  Answered answered = command.take();
  if (raised) throw *std::move(raised);
  return answered;
}

std::vector<std::string> to_words(const nb::list& words) {
  std::vector<std::string> all;
  for (const nb::handle word : words) all.push_back(to_string(nb::cast<nb::bytes>(word)));
  return all;
}

nb::tuple run(const nb::list& words, const nb::object& progress) {
  if (is_in_command)
    raise(
        Error{ErrorKind::usage, "progress: expected no other command in its callback, found one"});
  std::unique_lock lock(running(), std::defer_lock);
  wait_for_turn(lock);
  set_interrupted(false);
  struct Inside {
    Inside() { is_in_command = true; }
    ~Inside() { is_in_command = false; }
  } const inside;
  Running command(to_words(words));
  const Answered answered = watch(command, progress);
  const auto& [done, answer] = answered;
  nb::list warnings;
  for (const std::string& warning : answer.warnings) warnings.append(to_str(warning));
  return nb::make_tuple(
      done ? "" : name_of(done.error().kind), to_str(done ? "" : done.error().message),
      nb::bytes(answer.json.data(), answer.json.size()), to_str(answer.text), warnings);
}

// The main() of the package's script: the process becomes the tool.
int run_as_tool(const nb::list& arguments) {
  std::vector<std::string> words = to_words(arguments);
  prepare_process();
  ::signal(SIGINT, SIG_DFL);  // Python's handler would run only when Python code runs
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const nb::gil_scoped_release released;
  return run_command_line(static_cast<int>(words.size()), argv.data());
}

}  // namespace

void add_commands(nb::module_& module) {
  module.def(
      "run", run, nb::arg("words"), nb::arg("progress").none() = nb::none(),
      nb::sig("def run(words: list[bytes], progress: collections.abc.Callable[[str, int, int, "
              "float], object] | None = None) -> tuple[str, str, bytes, str, list[str]]"),
      "Runs a command: (kind of error or '', message, JSON, text, warnings).");
  module.def("run_as_tool", run_as_tool, nb::arg("words"),
             nb::sig("def run_as_tool(words: list[bytes]) -> int"),
             "Runs the command-line tool in this process: its exit code.");
}

}  // namespace seekless::python

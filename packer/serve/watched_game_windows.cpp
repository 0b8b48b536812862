#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <windows.h>

#include "packer/record/event_taker.h"
#include "packer/record/program_recorder.h"
#include "packer/serve/anti_cheat.h"
#include "packer/serve/internal/followed_programs.h"
#include "packer/serve/internal/watched_events.h"
#include "packer/serve/watched_game.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

// Reads are seen only once they are over, so a sweep gives way for longer than where they pass
// through.
constexpr auto kAfterUnforeseen = std::chrono::milliseconds(20);
// While a sweep runs, it must soon learn what else the game reads.
constexpr auto kBetweenLooksOfSweep = std::chrono::milliseconds(2);
constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
// Some file systems, such as those of servers, and Wine, don't tell where files lie. If a game
// reads more than this from a file, these reads are assumed to lie together.
constexpr uint64_t kLeastUnplacedBytes = 1 << 20;

std::string system_folder() {
  std::array<wchar_t, MAX_PATH> folder = {};
  const UINT length = ::GetSystemWindowsDirectoryW(folder.data(), folder.size());
  return length < folder.size() ? runtime::to_utf8({folder.data(), length}) : std::string();
}

class LiveEvents final : public EventTaker {
 public:
  LiveEvents(Foresight& foresight, WatchedEvents& events, const std::vector<std::string>& folders,
             Foresight::Clock::time_point began)
      : foresight_(foresight),
        events_(events),
        programs_(folders),
        began_(began),
        window_(events) {}

  int64_t now_ns() const override {
    const auto since = Foresight::Clock::now() - began_;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }
  std::unique_lock<std::mutex> lock() override { return std::unique_lock(mutex_); }
  TraceSink& sink() override { return events_; }
  EventWindow& window() override { return window_; }
  std::chrono::milliseconds between_looks() const override {
    return foresight_.sweeper().is_busy() ? kBetweenLooksOfSweep : kBetweenLooks;
  }
  bool makes_trace() const override { return false; }
  void reads_past_cache(uint32_t file) override { events_.reads_past_cache(file); }
  void was_given_up() override { foresight_.sweeper().give_up(); }
  Result<void> begins(const std::string& program) override {
    const auto why = programs_.begins(program, system_folder());
    if (!why) return {};
    return failed({.file = program, .expected = "a game that minds no hooks", .found = *why});
  }
  // Other programs that the game starts, such as browsers, aren't its own, and some of them crash
  // with hooks. Some protection starts its service right before the game.
  bool follows(const std::string& program) override {
    return programs_.follows(program) && !running_anti_cheat();
  }

 private:
  Foresight& foresight_;
  WatchedEvents& events_;
  FollowedPrograms programs_;
  Foresight::Clock::time_point began_;
  std::mutex mutex_;
  EventWindow window_;
};

class ServiceHandle {
 public:
  explicit ServiceHandle(SC_HANDLE value) : value_(value) {}
  ServiceHandle(const ServiceHandle&) = delete;
  ServiceHandle& operator=(const ServiceHandle&) = delete;
  ~ServiceHandle() {
    if (value_ != nullptr) ::CloseServiceHandle(value_);
  }
  SC_HANDLE get() const { return value_; }

 private:
  SC_HANDLE value_;
};

void warn_of_failure(const WatchedGame& game, const Error& error) {
  try {
    game.warn(error.message + "; the game went on without being watched");
  } catch (const std::exception&) {
    return;  // the game's exit code matters more
  }
}

// Takes the game's reads until it ends.
struct Watching {
  ProgramRecorder& recorder;
  Foresight& foresight;
  WatchedEvents& events;
  LiveEvents& taker;

  Result<WatchedEnd> to_end() {
    foresight.begin();
    SKL_TRY(const auto end, recorder.run());
    SKL_TRY_DO(taker.window().finish());
    WatchedEnd answer = end_of(foresight);
    answer.exit_code = end.exit_code;
    answer.lived = end.lived;
    answer.has_read = events.has_read();
    return answer;
  }
  Result<WatchedEnd> to_end_or_error() {
    try {
      return to_end();
    } catch (const std::exception& exception) {
      return std::unexpected(to_error(exception));
    }
  }
  // The game must continue, whatever fails here.
  WatchedEnd to_end_in_any_case(const WatchedGame& game) {
    auto end = to_end_or_error();
    if (end) return *std::move(end);
    foresight.sweeper().give_up();
    WatchedEnd failed_end;
    failed_end.exit_code = recorder.run_unrecorded();
    failed_end.has_failed = true;
    warn_of_failure(game, end.error());
    return failed_end;
  }
};

}  // namespace

Result<WatchedEnd> watch_game(const WatchedGame& game, Learned known, ForeseeOptions options) {
  ProgramRecorder* hooks = nullptr;  // set before anything is swept
  options.manners = {.after_others = kAfterUnforeseen,
                     .looks_names_up = false,
                     .holds_files = [&](bool holds) { hooks->hold_files(holds); },
                     .must_let_go = [&] { return hooks->are_files_wanted(); }};
  options.least_unplaced_bytes = kLeastUnplacedBytes;
  const auto began = Foresight::Clock::now();
  const Learned names = {
      .files = known.files, .places = {}, .names = known.names, .scenarios = {}, .shadow = {}};
  // The recorder must outlive the sweep, and what the recorder uses must outlive it.
  std::unique_ptr<ProgramRecorder> recorder;
  Foresight foresight(std::move(known), std::move(options));
  WatchedEvents events(foresight, game.spelled, game.beside, names, began);
  std::vector<std::string> folders = game.spelled;
  folders.insert(folders.end(), game.beside.begin(), game.beside.end());
  LiveEvents taker(foresight, events, folders, began);
  recorder = ProgramRecorder::create_live(taker, game.warn);
  hooks = recorder.get();
  SKL_TRY_DO(game.process != 0 ? recorder->attach(game.process) : recorder->start(game.command));
  return Watching{*recorder, foresight, events, taker}.to_end_in_any_case(game);
}

// A service that mustn't be asked may run.
std::optional<std::string> running_anti_cheat() {
  const ServiceHandle manager(::OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT));
  if (manager.get() == nullptr)
    return ::GetLastError() == ERROR_ACCESS_DENIED
               ? std::optional<std::string>("that nobody may ask for the services that run")
               : std::nullopt;
  for (const auto& [name, of] : anti_cheat_services()) {
    const std::wstring wide(name.begin(), name.end());
    const ServiceHandle service(::OpenServiceW(manager.get(), wide.c_str(), SERVICE_QUERY_STATUS));
    SERVICE_STATUS status = {};
    const bool is_told =
        service.get() != nullptr && ::QueryServiceStatus(service.get(), &status) != 0;
    if (!is_told && ::GetLastError() == ERROR_ACCESS_DENIED)
      return fmt::format("the service {} ({}), which doesn't tell whether it runs", name, of);
    if (is_told && status.dwCurrentState != SERVICE_STOPPED)
      return fmt::format("the service {} ({})", name, of);
  }
  return std::nullopt;
}

}  // namespace seekless

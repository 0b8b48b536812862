#include "packer/record/internal/injected_windows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <windows.h>

#include "packer/record/internal/started_program_windows.h"
#include "packer/record/plain_program.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

// At most this many records are taken at once, because marks and the file wait while events are
// added.
constexpr int kMostAtOnce = 4096;
// Without a trace, the program waits at most this often for room in the ring: 0.2 to 3 s.
constexpr uint32_t kMostWaitsOfLive = 200;
// The program's DLLs come from the disk. While a child loads the hooks, its parent waits.
constexpr DWORD kLoadMs = 30'000, kLoadMsOfLiveChild = 5'000;

std::atomic<int> interrupts = 0;
std::atomic<bool> is_closing = false;
std::atomic<HANDLE> to_wake = nullptr;

// Windows calls this on a separate thread. If a console is closed, Windows ends the program when
// this returns, or after 5 seconds; the recording must be written before.
BOOL WINAPI note_interrupt(DWORD kind) {
  constexpr int kAtOnce = 2;
  constexpr DWORD kMostMs = 4'000;
  const bool is_key = kind == CTRL_C_EVENT || kind == CTRL_BREAK_EVENT;
  interrupts.fetch_add(is_key ? 1 : kAtOnce);
  if (!is_key) is_closing = true;
  ::SetEvent(to_wake.load());
  if (!is_key) ::Sleep(kMostMs);
  return TRUE;
}

}  // namespace

std::unique_ptr<ProgramRecorder> ProgramRecorder::create(Recording& recording, Warn warn) {
  return std::make_unique<InjectedProgram>(recording, std::move(warn));
}

std::unique_ptr<ProgramRecorder> ProgramRecorder::create_live(EventTaker& taker, Warn warn) {
  return std::make_unique<InjectedProgram>(taker, std::move(warn));
}

bool ProgramRecorder::can_attach() {
  return true;
}

InjectedProgram::InjectedProgram(EventTaker& taker, Warn warn)
    : recording_(taker),
      warn_(std::move(warn)),
      calls_(taker.sink(), taker.window()),
      drive_of_([this](const std::string& device) { return drive_of(device); }) {}

// Running processes continue without being recorded; a process that never ran is removed.
InjectedProgram::~InjectedProgram() {
  for (Followed& followed : followed_) followed.process.ring().header().is_over = 1;
  if (main_thread_) ::TerminateProcess(main_.get(), 1);
  if (to_wake.load() != wake_.get()) return;
  ::SetConsoleCtrlHandler(note_interrupt, FALSE);
  to_wake = nullptr;
}

Result<void> InjectedProgram::prepare() {
  SKL_TRY(auto hooks, hook_files());
  hooks_ = std::move(hooks);
  wake_ = runtime::Handle(::CreateEventW(nullptr, FALSE, FALSE, nullptr));
  return {};
}

Result<void> InjectedProgram::start(const std::vector<std::string>& command) {
  SKL_TRY_DO(prepare());
  take_keys();  // a key must not end this program and leave the other one suspended
  SKL_TRY(auto started, start_suspended(command));
  main_ = std::move(started.process);
  main_thread_ = std::move(started.thread);
  SKL_TRY_DO(recording_.begins(program_of(main_.get())));
  SKL_TRY(auto own, open_to_hook(started.id));
  return follow(std::move(own), started.id, command.front(), kLoadMs);
}

Result<void> InjectedProgram::attach(uint32_t process) {
  SKL_TRY_DO(prepare());
  is_attached_ = true;
  SKL_TRY(auto handle, open_to_hook(process));
  const std::string name = program_of(handle.get());
  SKL_TRY_DO(recording_.begins(name));
  HANDLE main = nullptr;
  const HANDLE self = ::GetCurrentProcess();
  ::DuplicateHandle(self, handle.get(), self, &main, SYNCHRONIZE | PROCESS_QUERY_INFORMATION, FALSE,
                    0);
  main_ = runtime::Handle(main);
  return follow(std::move(handle), process, name, kLoadMs);
}

Result<void> InjectedProgram::follow(runtime::Handle handle, uint32_t id, const std::string& name,
                                     DWORD most_load_ms) {
  const HookSettings settings = {.wake = wake_.get(),
                                 .counts_cycles = clock_.counts_cycles(),
                                 .most_waits = recording_.makes_trace() ? 0 : kMostWaitsOfLive,
                                 .most_load_ms = most_load_ms};
  SKL_TRY(auto process, HookedProcess::create(std::move(handle), id, name, settings, hooks_));
  followed_.emplace_back(std::move(process), calls_, table_entries_, drive_of_);
  RingHeader& header = followed_.back().process.ring().header();
  const std::lock_guard lock(headers_mutex_);
  header.holds_files = holds_files_ ? 1 : 0;
  headers_.push_back(&header);
  ++processes_;
  return {};
}

// Tracks a child, which waits until this is done, whether it is recorded or not. Returns what to
// warn of.
std::string InjectedProgram::follow_child(uint32_t id) {
  const std::string program = program_of_process(id);
  if (!recording_.follows(program)) return {};
  auto handle = open_to_hook(id);
  if (!handle) return fmt::format("a child isn't recorded: {}", handle.error().message);
  const std::string name = fmt::format("{} (process {})", program, id);
  if (minds_hooks(handle->get()))
    return recording_.makes_trace()
               ? fmt::format("a child isn't recorded: {} runs in a sandbox or a debugger", name)
               : std::string();
  const DWORD most_ms = recording_.makes_trace() ? kLoadMs : kLoadMsOfLiveChild;
  if (auto followed = follow(*std::move(handle), id, name, most_ms); !followed)
    return fmt::format("a child isn't recorded: {}", followed.error().message);
  return {};
}

void InjectedProgram::take_keys() {
  interrupts = 0;
  is_closing = false;
  to_wake = wake_.get();
  ::SetConsoleCtrlHandler(note_interrupt, TRUE);
}

// Lets the program that was started begin, if it hasn't yet.
void InjectedProgram::let_run() {
  if (!main_thread_) return;
  code_page_.emplace();
  began_ = std::chrono::steady_clock::now();
  ::ResumeThread(std::exchange(main_thread_, {}).get());
}

Result<ProgramEnd> InjectedProgram::run() {
  clock_.begin(recording_.now_ns());
  if (to_wake.load() != wake_.get()) take_keys();
  let_run();
  while (!is_over_) {
    wait_for_news();
    SKL_TRY_DO(catch_up());
    if (main_ && ::WaitForSingleObject(main_.get(), 0) == WAIT_OBJECT_0) main_ended();
    if (followed_.empty()) break;
    obey_interrupts();
  }
  for (Followed& followed : followed_) followed.process.ring().header().is_over = 1;
  SKL_TRY_DO(catch_up());
  if (lost_ > 0)
    warn_(fmt::format("{} calls were under way when their process was ended, and are missing",
                      lost_));
  return end_;
}

int InjectedProgram::run_unrecorded() {
  if (to_wake.load() != wake_.get()) take_keys();
  for (Followed& followed : followed_) followed.process.ring().header().is_over = 1;
  let_run();
  if (!main_ || is_attached_) return end_.exit_code;
  ::WaitForSingleObject(main_.get(), INFINITE);
  code_page_.reset();
  DWORD code = 0;
  ::GetExitCodeProcess(main_.get(), &code);
  return static_cast<int>(code);
}

Result<void> InjectedProgram::catch_up() {
  const std::lock_guard lock(mutex_);
  clock_.look_again();
  // Reads the processes one after the other, so the window holds all events back meanwhile. Events
  // from before the last round are then passed on in order, the rest next time.
  std::vector<EventWindow::Running> before = std::exchange(watermarks_, {});
  if (before.empty()) before.push_back(watermark());
  watermarks_.push_back(watermark());
  SKL_TRY_DO(take_all());
  const auto trace = recording_.lock();
  for (const EventWindow::Running& mark : before) SKL_TRY_DO(recording_.window().call_ends(mark));
  return {};
}

EventWindow::Running InjectedProgram::watermark() {
  const auto trace = recording_.lock();
  return recording_.window().call_begins(recording_.now_ns());
}

Result<void> InjectedProgram::take_all() {
  for (auto at = followed_.begin(); at != followed_.end();) {
    const auto current = at++;
    const bool has_ended = current->process.has_ended();
    if (!has_ended && current->process.ring().header().is_over.load() != 0)
      recording_.was_given_up();
    if (has_ended) current->process.ring().writer_has_ended();
    for (;;) {
      recording_.give_way();
      SKL_TRY(const auto taken, take_from(*current));
      if (!taken) break;
    }
    if (!has_ended) continue;
    SKL_TRY_DO(forget(current));
  }
  return {};
}

// Returns false once no process is left.
Result<bool> InjectedProgram::take_from(Followed& followed) {
  RingReader& ring = followed.process.ring();
  std::optional<FileRecord> record;
  {
    const auto trace = recording_.lock();
    for (int i = 0; i < kMostAtOnce; ++i) {
      record = ring.take();
      if (!record) return false;
      if (record->kind == RecordKind::child) break;
      if (recording_.has_failed()) continue;
      const auto past_cache =
          recording_.makes_trace() ? std::nullopt : followed.records.file_read_past_cache(*record);
      if (past_cache) {
        recording_.reads_past_cache(*past_cache);
        continue;
      }
      SKL_TRY_DO(followed.records.take(*record, clock_.ticks()));
    }
  }
  if (record->kind != RecordKind::child) return true;
  const std::string warning = follow_child(static_cast<uint32_t>(record->other));
  // Hooking may take longer than the recording waits for events. The watermark keeps the later
  // reads of the child and its parent in order.
  watermarks_.push_back(watermark());
  auto& answers = ring.header().answers;
  const auto number = static_cast<uint32_t>(record->handle);
  answers[number % answers.size()].store(number, std::memory_order_release);
  if (!warning.empty()) warn_(warning);  // a console may take its time
  return true;
}

Result<void> InjectedProgram::forget(std::list<Followed>::iterator at) {
  const auto trace = recording_.lock();
  lost_ += at->process.ring().lost();
  auto finished = at->records.finish(clock_.ticks());
  {
    const std::lock_guard headers(headers_mutex_);
    std::erase(headers_, &at->process.ring().header());
  }
  followed_.erase(at);
  return finished;
}

void InjectedProgram::wait_for_news() {
  const std::array news = {wake_.get(), main_.get()};
  const auto most = static_cast<DWORD>(recording_.between_looks().count());
  ::WaitForMultipleObjects(main_ ? 2 : 1, news.data(), FALSE, most);
}

void InjectedProgram::main_ended() {
  DWORD code = 0;
  ::GetExitCodeProcess(main_.get(), &code);
  end_.exit_code = static_cast<int>(code);
  end_.lived = std::chrono::steady_clock::now() - began_;
  main_ = {};
  code_page_.reset();
  std::string left;
  for (const Followed& followed : followed_) {
    if (followed.process.has_ended()) continue;
    left += fmt::format("{}{}", left.empty() ? "" : ", ", followed.process.name());
  }
  if (left.empty()) return;
  const std::string_view doing = recording_.makes_trace() ? "recording" : "watching";
  warn_(
      fmt::format("the program has ended, but not what it started: {}; {} goes on until that "
                  "ends, too; Ctrl-C ends the {}",
                  left, doing, doing));
}

// Handles Ctrl-C. A console program receives the first one by itself, and the recording continues
// until the program ends. A second one ends only the recording. Without a trace there is nothing to
// end while the program itself runs.
void InjectedProgram::obey_interrupts() {
  if (!recording_.makes_trace()) {
    is_over_ = is_closing || (interrupts.load() > 0 && (is_attached_ || !main_));
    return;
  }
  const int count = interrupts.load();
  if (count == interrupts_) return;
  interrupts_ = count;
  is_over_ = count > 1 || is_attached_ || !main_;
  if (!is_over_)
    warn_("recording ends when the program does; Ctrl-C again ends the recording alone");
}

void InjectedProgram::hold_files(bool holds) {
  const std::lock_guard lock(headers_mutex_);
  holds_files_ = holds;
  for (RingHeader* header : headers_)
    header->holds_files.store(holds ? 1 : 0, std::memory_order_release);
}

// Counts of ended processes don't matter: any change means that someone wants a file.
bool InjectedProgram::are_files_wanted() {
  const std::lock_guard lock(headers_mutex_);
  uint64_t wants = 0;
  for (const RingHeader* header : headers_)
    wants += header->wanted_files.load(std::memory_order_acquire);
  return std::exchange(answered_wants_, wants) != wants;
}

// Returns a device's drive letter. The system assigns letters, and that of a USB drive may come
// late.
std::string InjectedProgram::drive_of(const std::string& device) {
  if (const auto known = drives_.find(device); known != drives_.end()) return known->second;
  for (wchar_t letter = L'A'; letter <= L'Z'; ++letter) {
    const std::array<wchar_t, 3> drive = {letter, L':', 0};
    std::array<wchar_t, 1024> target = {};
    if (::QueryDosDeviceW(drive.data(), target.data(), target.size()) == 0) continue;
    drives_[runtime::to_utf8(target.data())] = runtime::to_utf8(drive.data());
  }
  return drives_[device];
}

}  // namespace seekless

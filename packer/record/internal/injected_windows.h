// Records a program on Windows, and the programs that it starts, by hooks in each process. It needs
// no administrator: any user who may start a program may do this to it.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "packer/host/modes_before_windows.h"
#include "packer/record/internal/hook_clock_windows.h"
#include "packer/record/internal/hooked_process_windows.h"
#include "packer/record/program_recorder.h"

namespace seekless {

class InjectedProgram final : public ProgramRecorder {
 public:
  InjectedProgram(EventTaker& taker, Warn warn);
  ~InjectedProgram() override;

  Result<void> start(const std::vector<std::string>& command) override;
  Result<void> attach(uint32_t process) override;
  Result<ProgramEnd> run() override;
  int run_unrecorded() override;
  Result<void> catch_up() override;
  void hold_files(bool holds) override;
  bool are_files_wanted() override;
  uint64_t processes() const override { return processes_; }

 private:
  struct Followed {
    Followed(HookedProcess of, FileCalls& calls, size_t& table_entries,
             const DriveOfDevice& drive_of)
        : process(std::move(of)), records(process.id(), calls, table_entries, drive_of) {}
    HookedProcess process;
    ProcessRecords records;
  };

  Result<void> prepare();
  Result<void> follow(runtime::Handle handle, uint32_t id, const std::string& name,
                      DWORD most_load_ms);
  std::string follow_child(uint32_t id);
  void take_keys();
  void let_run();
  EventWindow::Running watermark();
  Result<void> take_all();
  Result<bool> take_from(Followed& followed);
  Result<void> forget(std::list<Followed>::iterator at);
  void wait_for_news();
  void main_ended();
  void obey_interrupts();
  std::string drive_of(const std::string& device);

  EventTaker& recording_;
  Warn warn_;
  std::mutex mutex_;  // guards all members below, because marks come from another thread
  FileCalls calls_;
  DriveOfDevice drive_of_;
  std::unordered_map<std::string, std::string> drives_;
  size_t table_entries_ = 0;
  std::list<Followed> followed_;
  std::mutex headers_mutex_;  // guards the next three; it is never held for long
  std::vector<RingHeader*> headers_;
  bool holds_files_ = false;
  uint64_t answered_wants_ = 0;
  // Watermarks of the current round through the processes.
  std::vector<EventWindow::Running> watermarks_;
  HookClock clock_;
  HookFiles hooks_;
  runtime::Handle wake_;
  runtime::Handle main_;         // handle of the program's process, to notice its end
  runtime::Handle main_thread_;  // the program's first thread, until it runs
  std::chrono::steady_clock::time_point began_;  // when the program was let run
  std::optional<CodePageBefore> code_page_;      // set while a program runs that we have started
  bool is_attached_ = false;
  bool is_over_ = false;
  uint64_t processes_ = 0;
  int interrupts_ = 0;
  uint64_t lost_ = 0;
  ProgramEnd end_;
};

}  // namespace seekless

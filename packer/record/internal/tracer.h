// Runs a program under ptrace, with all threads and processes that it starts, and tracks its calls
// on files. Signals, stops and the program's end work as without the recorder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packer/record/internal/call_events.h"
#include "packer/record/program_recorder.h"

namespace seekless {

// These say why the kernel doesn't let a program be traced, and what to do.
Result<void> no_ptrace(int os_error);
Result<void> no_call_filter(int os_error);

class Tracer final : public ProgramRecorder {
 public:
  Tracer(Recording& recording, Warn warn);
  ~Tracer() override;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  Result<void> start(const std::vector<std::string>& command) override;
  Result<ProgramEnd> run() override;

  uint64_t io_urings() const override { return events_.io_urings(); }
  uint64_t processes() const override { return processes_; }

 private:
  struct Stop;

  void handle(uint32_t id, int status);
  void handle_stop(TracedThread& thread, const Stop& stop);
  void handle_event(TracedThread& thread, const Stop& stop);
  void stop_group(TracedThread& thread, const Stop& stop);
  void call_begins(TracedThread& thread);
  void call_ends(TracedThread& thread);
  void child_born(TracedThread& parent);
  void program_begins(uint32_t process);
  void look_at_image(TracedThread& thread);
  TracedThread& adopt(uint32_t id);
  TracedThread& add_thread(uint32_t id, uint32_t process, std::shared_ptr<DescriptorTable> files);
  void remove_thread(uint32_t id);
  void main_ended(int status);
  void obey_signals();
  void let_run(const TracedThread& thread, int signal = 0);
  void note(const Result<void>& result);

  Recording& recording_;
  Warn warn_;
  LinuxTracee tracee_;
  CallEvents events_;
  size_t table_entries_ = 0;  // declared before the threads, because their tables count into it
  std::map<uint32_t, TracedThread> threads_;
  uint32_t main_ = 0;  // the program's process; 0 once it has ended
  ProgramEnd end_;
  Result<void> failure_;
  uint64_t processes_ = 0;
  uint64_t set_id_programs_ = 0;
  bool is_over_ = false;
};

}  // namespace seekless

// Runs a program under ptrace, with all threads and processes it starts, and follows its calls
// about files. Everything that the program's own parent would do with it (signals, stops, its end)
// happens as if nobody watched.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/record/call_events.h"
#include "packer/record/recording.h"

namespace seekless {

// How the program ended: one of the two.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;
};

class Tracer {
 public:
  // `warn` prints a line for the user.
  Tracer(Recording& recording, std::function<void(std::string_view)> warn);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Starts the program: it has been found, is one that can be recorded, and waits for its first
  // instruction. If not, nothing of it remains.
  Result<void> start(const std::vector<std::string>& command);
  // Until the last process has ended. Write errors of the recording come from its finish().
  Result<ProgramEnd> run();

  uint64_t io_urings() const { return events_.io_urings(); }
  uint64_t processes() const { return processes_; }

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
  std::function<void(std::string_view)> warn_;
  LinuxTracee tracee_;
  CallEvents events_;
  size_t table_entries_ = 0;  // declared before the threads, whose tables count into it
  std::map<uint32_t, TracedThread> threads_;
  uint32_t main_ = 0;  // the program's process; 0 once it has ended
  ProgramEnd end_;
  Result<void> failure_;
  uint64_t processes_ = 0;
  uint64_t set_id_programs_ = 0;
  bool is_over_ = false;
};

}  // namespace seekless

// Tracks the system calls of recorded threads, at their beginning and, if needed, at their end, and
// passes their effects to FileCalls. How threads are stopped is handled elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "packer/record/internal/traced_calls.h"
#include "packer/record/internal/tracee.h"
#include "packer/trace/descriptors.h"
#include "packer/trace/event_window.h"
#include "packer/trace/file_calls.h"

namespace seekless {

struct SystemCall {
  CallKind kind = CallKind::read;
  std::array<uint64_t, 6> arguments = {};
};

// Holds a call that has begun, and whose end must be seen.
struct RunningCall {
  SystemCall call;
  int64_t start_ns = 0;
  std::shared_ptr<OpenDescription> file = nullptr;  // the file that is read, mapped or seeked
  std::optional<uint64_t> offset_bytes = {};        // nothing if the call uses the file's position
  std::optional<EventWindow::Running> window = {};  // set if the call may give an event
};

// Holds a clone call that asked for an untraced child.
struct UntracedClone {
  SystemCall call;
  uint64_t flags = 0;
};

struct TracedThread {
  uint32_t id = 0;
  uint32_t process = 0;
  std::shared_ptr<DescriptorTable> files = nullptr;
  std::optional<RunningCall> running = {};
  uint64_t clone_flags = 0;  // flags of the child that is being made
  std::optional<UntracedClone> untraced = {};
  bool is_foreign = false;  // the process' calls can't be seen
};

class CallEvents {
 public:
  // All three references must outlive this object.
  CallEvents(TraceSink& sink, EventWindow& window, Tracee& tracee)
      : window_(window), tracee_(tracee), calls_(sink, window) {}

  // Call this while the thread is stopped before a call. If it sets `running`, the call's end must
  // be reported too.
  Result<void> begin(TracedThread& thread, const SystemCall& call, int64_t now_ns);
  // `result` is what the call returned: below 0, a negated errno.
  Result<void> end(TracedThread& thread, int64_t result, int64_t now_ns);
  // Says that the call will never end, so that other events needn't wait for it.
  Result<void> stop_waiting(TracedThread& thread);

  uint64_t io_urings() const { return io_urings_; }

 private:
  Result<std::shared_ptr<OpenDescription>> file_at(const TracedThread& thread, int32_t descriptor);
  Result<void> begin_read(TracedThread& thread, RunningCall running, size_t descriptor_at);
  Result<void> begin_seek(TracedThread& thread, RunningCall running);
  Result<void> end_read(TracedThread& thread, RunningCall& running, int64_t result, Event& event);
  Result<void> end_open(TracedThread& thread, const RunningCall& running, int64_t result,
                        Event& event);
  Result<void> end_duplicate(const TracedThread& thread, const RunningCall& running,
                             int64_t result);
  uint64_t open_flags(const TracedThread& thread, const SystemCall& call);
  std::optional<std::string> path_argument(const TracedThread& thread, const SystemCall& call);

  EventWindow& window_;
  Tracee& tracee_;
  FileCalls calls_;
  uint64_t io_urings_ = 0;
};

}  // namespace seekless

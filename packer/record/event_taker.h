// Takes the events that a recorder sees, live or into a trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "packer/base/error.h"
#include "packer/trace/event.h"
#include "packer/trace/event_window.h"

namespace seekless {

class EventTaker {
 public:
  virtual ~EventTaker() = default;
  // Returns the time since the beginning.
  virtual int64_t now_ns() const = 0;
  // Hold this lock while adding events, or while using the sink and the window.
  virtual std::unique_lock<std::mutex> lock() = 0;
  // Events pass through the window, then the sink.
  virtual TraceSink& sink() = 0;
  virtual EventWindow& window() = 0;
  // Call this now and then while events arrive, without holding the lock.
  virtual void give_way() {}
  // Returns true if events are dropped.
  virtual bool has_failed() const { return false; }
  // Returns how long events may wait before the recorder looks for them.
  virtual std::chrono::milliseconds between_looks() const { return std::chrono::milliseconds(50); }
  // Returns false if the events are only used while the program runs. Then it matters more that
  // the program never waits for the recorder than that no event is lost.
  virtual bool makes_trace() const { return true; }
  // Takes a read past the system's cache of the file with this number, if there is no trace. Hold
  // the lock.
  virtual void reads_past_cache(uint32_t) {}
  // Called at least once after a program went on without the recorder, which kept it waiting for
  // too long. Nothing of it should be in the program's way from now on.
  virtual void was_given_up() {}
  // Tells the path of the program itself, before it runs. If this fails, it may not be watched.
  virtual Result<void> begins(const std::string&) { return {}; }
  // Returns true if a program of this path, which the first one started, is to be watched, too.
  virtual bool follows(const std::string&) { return true; }
};

}  // namespace seekless

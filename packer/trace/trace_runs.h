// The interface of anything that takes several traces, one after the other.
#pragma once

#include <string>

#include "packer/trace/event.h"

namespace seekless {

// Each trace comes between start_trace and finish_trace.
class TraceRuns : public TraceSink {
 public:
  // `scenario` is used if the trace itself names none.
  virtual void start_trace(std::string scenario) = 0;
  virtual void finish_trace() = 0;
};

}  // namespace seekless

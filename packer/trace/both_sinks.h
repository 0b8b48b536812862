// Passes one trace to two sinks at once, because a pipe can be read only once.
#pragma once

#include "packer/trace/event.h"

namespace seekless {

// Hands everything to the first sink, and then to the second unless that is null. Both must outlive
// this object.
class BothSinks final : public TraceSink {
 public:
  BothSinks(TraceSink& first, TraceSink* second) : first_(first), second_(second) {}

  Result<void> begin(const TraceHeader& header) override {
    return both([&](TraceSink& sink) { return sink.begin(header); });
  }
  Result<void> add_path(std::string_view path) override {
    return both([&](TraceSink& sink) { return sink.add_path(path); });
  }
  Result<void> add_event(const Event& event) override {
    return both([&](TraceSink& sink) { return sink.add_event(event); });
  }
  Result<void> add_mark(const Mark& mark) override {
    return both([&](TraceSink& sink) { return sink.add_mark(mark); });
  }

 private:
  template <typename Give>
  Result<void> both(const Give& give) {
    if (auto taken = give(first_); !taken || second_ == nullptr) return taken;
    return give(*second_);
  }

  TraceSink& first_;
  TraceSink* const second_;
};

}  // namespace seekless

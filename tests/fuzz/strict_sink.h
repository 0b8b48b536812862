// Takes events like a recording, and aborts on an invalid one.
#pragma once

#include <cstdlib>
#include <string_view>

#include "packer/trace/jsonl.h"

namespace seekless {

struct StrictSink final : TraceSink {
  Result<void> begin(const TraceHeader& header) override {
    if (has_begun) std::abort();
    has_begun = true;
    return encoder.begin(header);
  }
  Result<void> add_path(std::string_view path) override {
    if (!has_begun) std::abort();
    return encoder.add_path(path);
  }
  Result<void> add_event(const Event& event) override {
    if (!encoder.add_event(event)) std::abort();
    ++events;
    return {};
  }
  Result<void> add_mark(const Mark& mark) override { return encoder.add_mark(mark); }

  bool has_begun = false;
  size_t events = 0;
  TraceEncoder encoder;
};

}  // namespace seekless

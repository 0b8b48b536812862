// Whatever bytes claim to be of a dialect: no crash, no hang, and events within their
// limits. Built once for each dialect, which SEEKLESS_DIALECT names.
#include <cstdlib>
#include <string>

#include "packer/trace/dialect.h"
#include "packer/trace/jsonl.h"

namespace {

// Aborts on an event that no dialect may give.
struct StrictSink final : seekless::TraceSink {
  seekless::Result<void> begin(const seekless::TraceHeader& header) override {
    if (has_begun) std::abort();
    has_begun = true;
    return encoder.begin(header);
  }
  seekless::Result<void> add_path(std::string_view path) override {
    if (!has_begun) std::abort();
    return encoder.add_path(path);
  }
  seekless::Result<void> add_event(const seekless::Event& event) override {
    if (!encoder.add_event(event)) std::abort();
    return {};
  }
  seekless::Result<void> add_mark(const seekless::Mark& mark) override {
    return encoder.add_mark(mark);
  }

  bool has_begun = false;
  seekless::TraceEncoder encoder;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  seekless::MemoryStream stream("fuzz", {reinterpret_cast<const char*>(data), size});
  StrictSink sink;
  (void)seekless::import_trace(stream, {.format = SEEKLESS_DIALECT, .lenient = true}, sink);
  return 0;
}

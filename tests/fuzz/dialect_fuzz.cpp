// Parses any bytes as a dialect. It must not crash or hang, and events must be within their limits.
// It is built once for each dialect, which SEEKLESS_DIALECT names.
#include <cstdint>

#include "packer/trace/dialect.h"
#include "tests/fuzz/strict_sink.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  seekless::MemoryStream stream("fuzz", {reinterpret_cast<const char*>(data), size});
  seekless::StrictSink sink;
  (void)seekless::import_trace(stream, {.format = SEEKLESS_DIALECT, .lenient = true}, sink);
  return 0;
}

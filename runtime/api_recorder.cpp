// The C boundary: recording.
#include <string>

#include "runtime/asset_path.h"
#include "runtime/context.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

constexpr uint64_t kDefaultRingBytes = uint64_t{1} << 20;
constexpr uint64_t kMostRingBytes = uint64_t{1} << 30;

bool is_scenario(const char* name) {
  return name == nullptr || is_plain_name(name);
}

skl_result not_a_scenario(skl_error* error) {
  return invalid(error, "scenario: expected UTF-8 without control characters, at least a byte");
}

}  // namespace

extern "C" {

skl_result skl_recorder_start(skl_context* context, const char* path,
                              const skl_recorder_options* options, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  skl_recorder_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  if (taken.ring_bytes > kMostRingBytes)
    return invalid(error, "ring_bytes: expected at most 1 GiB");
  if (!is_scenario(taken.scenario)) return not_a_scenario(error);
  if (context->recording.is_on())
    return invalid(error, "recording: expected none, found one going on");
  return guarded(error, [&] {
    auto file = context->io->create(path);
    if (!file) return fill(error, file.error());
    const auto started = context->recording.start(std::make_unique<Recorder>(
        std::move(*file), context->names,
        taken.ring_bytes != 0 ? taken.ring_bytes : kDefaultRingBytes,
        taken.scenario != nullptr ? taken.scenario : "", context->memory));
    return started ? SKL_OK : fill(error, started.error());
  });
}

skl_result skl_recorder_mark(skl_context* context, const char* scenario) {
  if (context == nullptr || !is_scenario(scenario)) return SKL_INVALID;
  return guarded(nullptr, [&] {
    const auto marked = context->recording.mark(scenario != nullptr ? scenario : "");
    return marked ? SKL_OK : marked.error().result;
  });
}

skl_result skl_recorder_stop(skl_context* context, uint64_t* lost_events, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(error, [&] {
    const auto lost = context->recording.stop();
    if (!lost) return fill(error, lost.error());
    if (lost_events != nullptr) *lost_events = *lost;
    return SKL_OK;
  });
}

}  // extern "C"

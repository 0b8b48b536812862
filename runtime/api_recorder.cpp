// The C boundary: recording.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "runtime/asset_path.h"
#include "runtime/context.h"
#include "runtime/recorded_trace.h"
#include "runtime/recorded_upload.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

constexpr uint64_t kDefaultRingBytes = uint64_t{1} << 20;
constexpr uint64_t kMostRingBytes = uint64_t{1} << 30;
constexpr uint64_t kDefaultUploadBytes = uint64_t{64} << 10;
constexpr uint64_t kMostUploadBytes = uint64_t{16} << 20;

// A requested recording: a trace, or an upload for a fleet.
struct Wanted {
  const char* path;
  const char* scenario;  // null: none
  uint64_t ring_bytes;
  const skl_upload_options* upload = nullptr;  // null: a trace is wanted
  skl_mount_id mount = 0;                      // the mount to record for the upload
};

bool is_scenario(const char* name) {
  return name == nullptr || is_plain_name(name);
}

// Returns a description of the fault, or null if there is none.
const char* fault_of(const Wanted& wanted) {
  if (wanted.ring_bytes > kMostRingBytes) return "ring_bytes: expected at most 1 GiB";
  if (!is_scenario(wanted.scenario))
    return "scenario: expected UTF-8 without control characters, at least a byte";
  if (wanted.upload == nullptr) return nullptr;
  if (std::ranges::all_of(wanted.upload->client, [](uint8_t byte) { return byte == 0; }))
    return "client: expected 16 random bytes, found zeros";
  if (wanted.upload->most_bytes > kMostUploadBytes) return "most_bytes: expected at most 16 MiB";
  return nullptr;
}

uint32_t today() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::days>(now).count());
}

// Finds the mounted set, which must have a catalog with scenarios.
Result<void> find_set(const NameSpace& names, skl_mount_id id, MountPointer& found) {
  return names.with(uint64_t{id} << 32, [&](const Mounted& mounted, uint32_t) -> Result<void> {
    const PackSet* set = mounted.mount->pack_set();
    if (set == nullptr || set->catalog() == nullptr || set->catalog()->scenarios().empty())
      return make_error(SKL_INVALID, {"mount: expected a pack set with scenarios"});
    found = mounted.mount;
    return {};
  });
}

UploadRules rules_of(const skl_upload_options& options, std::string_view scenario) {
  UploadRules rules;
  std::memcpy(rules.client.data(), options.client, sizeof(options.client));
  rules.day = options.day != 0 ? options.day : today();
  rules.most_bytes = options.most_bytes != 0 ? options.most_bytes : kDefaultUploadBytes;
  rules.scenario = scenario;
  return rules;
}

// Creates the file only after everything else has been checked.
Result<std::unique_ptr<RecordedForm>> form_of(skl_context& context, const Wanted& wanted) {
  MountPointer set;
  if (wanted.upload != nullptr) {
    auto found = find_set(context.names, wanted.mount, set);
    if (!found) return std::unexpected(std::move(found.error()));
  }
  auto file = context.io->create(wanted.path);
  if (!file) return std::unexpected(std::move(file.error()));
  const std::string_view scenario = wanted.scenario != nullptr ? wanted.scenario : "";
  if (wanted.upload == nullptr)
    return make_recorded_trace(std::move(*file), context.names, scenario);
  return make_recorded_upload(std::move(*file), std::move(set), wanted.mount,
                              rules_of(*wanted.upload, scenario), &context);
}

skl_result start(skl_context& context, const Wanted& wanted, skl_error* error) {
  constexpr const char* kIsOn = "recording: expected none, found one going on";
  if (const char* fault = fault_of(wanted)) return invalid(error, fault);
  if (context.recording.is_on()) return invalid(error, kIsOn);
  return guarded(*context.core, error, [&] {
    auto form = form_of(context, wanted);
    if (!form) return fill(error, form.error());
    auto recorder = std::make_unique<Recorder>(
        std::move(*form), wanted.ring_bytes != 0 ? wanted.ring_bytes : kDefaultRingBytes,
        context.memory);
    return context.recording.start(std::move(recorder)) ? SKL_OK : invalid(error, kIsOn);
  });
}

}  // namespace

extern "C" {

skl_result skl_recorder_start(skl_context* context, const char* path,
                              const skl_recorder_options* options, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  skl_recorder_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  return start(*context, {.path = path, .scenario = taken.scenario, .ring_bytes = taken.ring_bytes},
               error);
}

skl_result skl_recorder_start_uploads(skl_context* context, skl_mount_id mount, const char* path,
                                      const skl_upload_options* options, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  skl_upload_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  return start(*context,
               {.path = path,
                .scenario = taken.scenario,
                .ring_bytes = taken.ring_bytes,
                .upload = &taken,
                .mount = mount},
               error);
}

skl_result skl_recorder_mark(skl_context* context, const char* scenario) {
  if (context == nullptr || !is_scenario(scenario)) return SKL_INVALID;
  return guarded(*context->core, nullptr, [&] {
    const auto marked = context->recording.mark(scenario != nullptr ? scenario : "");
    return marked ? SKL_OK : marked.error().result;
  });
}

skl_result skl_recorder_stop(skl_context* context, uint64_t* lost_events, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    const auto lost = context->recording.stop();
    if (!lost) return fill(error, lost.error());
    if (lost_events != nullptr) *lost_events = *lost;
    return SKL_OK;
  });
}

}  // extern "C"

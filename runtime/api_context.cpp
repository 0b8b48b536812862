// The C boundary: contexts. Parameters are checked here; exceptions and internal
// errors become results.
#include "runtime/context.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

constexpr uint64_t kDefaultBudgetBytes = 16 * 1024 * 1024;

}  // namespace

namespace seekless::runtime {

bool is_forked(const Core& core, skl_error* error) noexcept {
  if (!core.fork_mark.is_forked()) return false;
  invalid(error, "expected a context of this process, found one from before fork(); make another");
  return true;
}

}  // namespace seekless::runtime

extern "C" {

// A C enumeration can hold any number, and a newer header may have more values.
#if defined(__GNUC__)
__attribute__((no_sanitize("enum")))
#endif
const char*
skl_result_name(skl_result result) {
  switch (result) {
    case SKL_OK:
      return "ok";
    case SKL_END:
      return "end";
    case SKL_WOULD_BLOCK:
      return "would block";
    case SKL_NOT_FOUND:
      return "not found";
    case SKL_INVALID:
      return "invalid";
    case SKL_DAMAGED:
      return "damaged";
    case SKL_UNSUPPORTED:
      return "unsupported";
    case SKL_IO:
      return "input/output";
    case SKL_OUT_OF_MEMORY:
      return "out of memory";
    case SKL_CANCELLED:
      return "cancelled";
    case SKL_STALE:
      return "stale";
  }
  return "unknown";
}

const char* skl_version(void) {
  return SEEKLESS_VERSION;
}

skl_result skl_context_create(const skl_context_options* options, skl_context** out,
                              skl_error* error) {
  if (out == nullptr) return invalid(error, "out: expected a place for the context");
  skl_context_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  skl_allocator allocator;
  if (!take_options(taken.allocator, allocator, error,
                    "allocator: struct_bytes: expected its size, found 0"))
    return SKL_INVALID;
  taken.allocator = &allocator;
  if ((allocator.allocate == nullptr) != (allocator.release == nullptr))
    return invalid(error, "allocator: expected both functions or neither");
  return guarded(error, [&] {
    const uint64_t wanted = taken.memory_budget_bytes;
    *out = new skl_context(taken, wanted != 0 ? wanted : kDefaultBudgetBytes);
    return SKL_OK;
  });
}

// Frees nothing in a forked process: the parent's threads may have been changing it at the fork.
void skl_context_destroy(skl_context* context) {
  if (context == nullptr || is_forked(*context->core)) return;
  delete context;
}

}  // extern "C"

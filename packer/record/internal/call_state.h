// Asks the kernel which call a stopped thread makes, or what the call returned.
#pragma once

#include <cstdint>
#include <optional>

#include "packer/record/internal/call_events.h"

namespace seekless {

struct CallNumber {
  uint64_t number = 0;
  decltype(SystemCall::arguments) arguments = {};
};

// Returns the call at which the filter has stopped the thread, or nothing, with the reason in
// errno.
std::optional<CallNumber> call_at_filter(uint32_t thread);

// Returns what the call has returned, or nothing if the thread hasn't stopped at a call's end.
std::optional<int64_t> result_of_call(uint32_t thread);

}  // namespace seekless

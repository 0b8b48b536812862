#include <windows.h>

#include "packer/host/errors_windows.h"
#include "packer/host/os_error.h"
#include "packer/warm/system_cache.h"

namespace seekless {

// Windows doesn't tell what its cache holds, so cached bytes are read again, from memory.
bool tells_cached(int) {
  return false;
}

std::optional<std::vector<bool>> cached_pages(int, uint64_t, uint64_t) {
  return std::nullopt;
}

std::optional<uint64_t> cached_bytes(int, uint64_t, uint64_t) {
  return std::nullopt;
}

bool is_cached(int, uint64_t, uint64_t) {
  return false;
}

bool drop_cached(int) {
  return false;
}

bool reads_ahead_itself(int, uint64_t) {
  return true;
}

void read_ahead(int, uint64_t, uint64_t) {}

Result<void> read_when_idle() {
  if (::SetPriorityClass(::GetCurrentProcess(), PROCESS_MODE_BACKGROUND_BEGIN) == 0)
    return failed_call("--idle", "lower the priority of reading", errno_of_last_error());
  return {};
}

}  // namespace seekless

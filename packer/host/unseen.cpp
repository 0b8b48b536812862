#include "packer/host/unseen.h"

#include <cstdint>
#include <mutex>

#include <fmt/format.h>

#include "packer/host/calls.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

struct Unseen {
  uint64_t count = 0;
  std::string path;  // path of the first one
  int os_error = 0;
};

struct Notes {
  std::mutex mutex;
  Unseen unseen;
};

Notes& notes() {
  static Notes all;
  return all;
}

bool is_failure(int os_error) {
  return calls::is_lost_connection(os_error) || !advice_for_os_error(os_error).empty();
}

}  // namespace

void note_unseen(const std::string& path, int os_error) {
  if (!is_failure(os_error)) return;
  const std::lock_guard lock(notes().mutex);
  Unseen& unseen = notes().unseen;
  if (unseen.count++ > 0) return;
  unseen.path = path;
  unseen.os_error = os_error;
}

Result<void> check_unseen() {
  const std::lock_guard lock(notes().mutex);
  const Unseen& unseen = notes().unseen;
  if (unseen.count == 0) return {};
  const std::string what =
      unseen.count == 1 ? "look at" : fmt::format("look at it and {} others", unseen.count - 1);
  return failed_call(unseen.path, what, unseen.os_error);
}

void forget_unseen() {
  const std::lock_guard lock(notes().mutex);
  notes().unseen = {};
}

}  // namespace seekless

#include "packer/host/unseen.h"

#include <cerrno>
#include <mutex>

#include "packer/host/os_error.h"

namespace seekless {
namespace {

struct Notes {
  std::mutex mutex;
  Unseen unseen;
};

Notes& notes() {
  static Notes all;
  return all;
}

bool is_failure(int os_error) {
  return os_error == ESTALE || os_error == ETIMEDOUT || os_error == EREMOTEIO ||
         !advice_for_os_error(os_error).empty();
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

Unseen unseen_paths() {
  const std::lock_guard lock(notes().mutex);
  return notes().unseen;
}

}  // namespace seekless

#include <fstream>

#include <sys/sysmacros.h>

#include "runtime/media.h"
#include "runtime/message.h"

namespace seekless::runtime {

std::optional<bool> says_rotational(uint64_t device, const std::string& system_folder) {
  const std::string of_device = join({system_folder, "/", major(device), ":", minor(device)});
  // A partition has no queue of its own, but the folder around it, the disk's, has one.
  for (const char* queue : {"/queue/rotational", "/../queue/rotational"}) {
    std::ifstream file(of_device + queue);
    char answer = 0;
    if (file.get(answer)) return answer != '0';
  }
  return std::nullopt;
}

}  // namespace seekless::runtime

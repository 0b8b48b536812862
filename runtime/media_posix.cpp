#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/descriptor_posix.h"
#include "runtime/media.h"
#include "runtime/message.h"

namespace seekless::runtime {
namespace {

// Returns a number that describes a device's queue; 0 if there is none.
uint64_t number_of_queue(uint64_t device, const char* system_folder, const char* name) {
  // A partition has no queue of its own, but the folder around it, the disk's, has one.
  for (const char* queue : {"queue", "../queue"}) {
    std::array<char, 256> path = {};
    std::snprintf(path.data(), path.size(), "%s/%u:%u/%s/%s", system_folder, major(device),
                  minor(device), queue, name);
    const Descriptor opened(::open(path.data(), O_RDONLY | O_CLOEXEC));
    std::array<char, 32> digits = {};
    if (opened.number() >= 0 && ::read(opened.number(), digits.data(), digits.size() - 1) > 0)
      return std::strtoull(digits.data(), nullptr, 10);
  }
  return 0;
}

}  // namespace

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

ReadAhead read_ahead_of(uint64_t device, const char* system_folder) {
  constexpr uint64_t kDefaultKib = 128;
  constexpr uint64_t kMostKib = 4096;  // more gains nothing, and delays other programs' reads
  constexpr uint64_t kReadKib = 1024;
  const uint64_t ahead = number_of_queue(device, system_folder, "read_ahead_kb");
  const uint64_t command = number_of_queue(device, system_folder, "max_sectors_kb");
  const bool has_window = ahead != 0 && command != 0;
  return {.longest_hint_bytes = std::clamp(std::max(ahead, command), kDefaultKib, kMostKib) << 10,
          .window_bytes = has_window ? std::max(ahead, std::min(command, kReadKib)) << 10 : 0};
}

}  // namespace seekless::runtime

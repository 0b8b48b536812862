#include <thread>
#include <utility>

#include "packer/host/detached_thread.h"

namespace seekless {

void run_detached(std::function<void()> work) {
  std::thread(std::move(work)).detach();
}

}  // namespace seekless

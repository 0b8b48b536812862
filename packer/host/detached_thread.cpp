#include "packer/host/detached_thread.h"

#include <memory>
#include <semaphore>
#include <thread>
#include <utility>

namespace seekless {

void run_detached(std::function<void()> work) {
  const auto has_begun = std::make_shared<std::binary_semaphore>(0);
  std::thread thread([has_begun, work = std::move(work)] {
    has_begun->release();
    work();
  });
  has_begun->acquire();
  thread.detach();
}

}  // namespace seekless

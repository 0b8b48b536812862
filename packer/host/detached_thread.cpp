#include "packer/host/detached_thread.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace seekless {
namespace {

// Uses a mutex because libstdc++'s semaphores and atomics may miss a wake-up on Windows.
class Beginning {
 public:
  void note() {
    const std::lock_guard lock(mutex_);
    is_noted_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_noted_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_noted_ = false;
};

}  // namespace

void run_detached(std::function<void()> work) {
  const auto beginning = std::make_shared<Beginning>();
  std::thread thread([beginning, work = std::move(work)] {
    beginning->note();
    work();
  });
  beginning->wait();
  thread.detach();
}

}  // namespace seekless

#include "packer/serve/internal/waiting_reads.h"

#include <utility>

namespace seekless {
namespace {

// More reads at once wait for one of these threads. Games seldom read on more.
constexpr size_t kThreads = 8;

}  // namespace

void WaitingReads::add(std::vector<PageKey> pages, MayRead may_read) {
  if (pages.empty() || !beside_sweep_.is_needed()) return may_read(false);
  const std::lock_guard lock(mutex_);
  while (threads_.size() < kThreads)
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  reads_.push_back({std::move(pages), std::move(may_read)});
  changed_.notify_one();
}

void WaitingReads::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !reads_.empty(); })) {
    const WaitingRead read = std::move(reads_.front());
    reads_.pop_front();
    lock.unlock();
    beside_sweep_.wait_for(read.pages);
    read.may_read(beside_sweep_.begins(read.pages.front()));
    lock.lock();
  }
}

}  // namespace seekless

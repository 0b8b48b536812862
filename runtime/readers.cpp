#include "runtime/readers.h"

namespace seekless::runtime {

Readers::~Readers() {
  reclaim();
}

std::atomic<uint32_t>& Readers::enter() const {
  Counts& counts = counts_[number_of_thread() % kPlaces];
  // The round may change before the count is seen, because freeing waits for both rounds.
  auto& inside = counts.inside[round_.load(std::memory_order_relaxed)];
  inside.fetch_add(1);
  return inside;
}

void Readers::leave(std::atomic<uint32_t>& inside) const {
  inside.fetch_sub(1);
  if (waiting_.load() != 0) reclaim();
}

void Readers::retire(std::unique_ptr<Retired> thing) const {
  waiting_.fetch_add(1);
  Retired* const raw = thing.release();
  raw->next_ = arrived_.load(std::memory_order_relaxed);
  while (!arrived_.compare_exchange_weak(raw->next_, raw)) {
  }
  reclaim();
}

// If another thread is already reclaiming, this one only leaves a note, and the other one checks
// again. So the last reader to leave is always noticed, and no thread waits.
void Readers::reclaim() const {
  calls_.fetch_add(1);
  uint32_t seen = 0;
  do {
    if (is_reclaiming_.exchange(true)) return;
    seen = calls_.load();
    advance();
    is_reclaiming_.store(false);
  } while (calls_.load() != seen);
}

void Readers::advance() const {
  for (;;) {
    if (batch_ == nullptr) {
      batch_ = arrived_.exchange(nullptr);
      if (batch_ == nullptr) return;
      has_turned_ = false;
    }
    // Readers in the other count entered before the latest change of rounds, or were slow to count
    // themselves.
    const uint32_t other = 1 - round_.load(std::memory_order_relaxed);
    if (!is_empty(other)) return;
    if (!has_turned_) {
      // New readers use the other count, so this one reaches zero even if new readers keep coming.
      round_.store(other);
      has_turned_ = true;
      continue;
    }
    while (batch_ != nullptr) {
      const std::unique_ptr<Retired> thing(batch_);
      batch_ = thing->next_;
      waiting_.fetch_sub(1);
    }
  }
}

bool Readers::is_empty(uint32_t round) const {
  for (const Counts& counts : counts_)
    if (counts.inside[round].load() != 0) return false;
  return true;
}

}  // namespace seekless::runtime

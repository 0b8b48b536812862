// Reads a scenario's blocks into the page cache, at the lowest priority.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/core.h"
#include "runtime/event.h"
#include "runtime/mount.h"

namespace seekless::runtime {

class Prefetch {
 public:
  // Begins at once. Opens the packs that the scenario needs.
  static Result<std::unique_ptr<Prefetch>> begin(Core& core, FoundScenario found);
  // Cancels the rest and waits for reads in progress.
  ~Prefetch();
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  bool is_over() const { return left_.load(std::memory_order_acquire) == 0; }

 private:
  struct Range;

  Prefetch(Core& core, FoundScenario found);
  void add(const File& file, uint64_t offset_bytes, uint64_t length_bytes);

  Core& core_;
  FoundScenario found_;
  std::vector<std::unique_ptr<Range>> ranges_;
  std::atomic<size_t> left_ = 0;
  const std::shared_ptr<Event> over_ = std::make_shared<Event>();
};

}  // namespace seekless::runtime

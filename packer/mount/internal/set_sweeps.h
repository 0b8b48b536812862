// Runs sweeps of a mounted pack set. A sweep fills the page cache with a scenario's files, in the
// order of the disk. Reads of files that a sweep is about to read wait for it. One thread sweeps
// one scenario after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "packer/foresee/recogniser.h"
#include "packer/mount/internal/set_tree.h"

namespace seekless {

struct SweepFigures {
  uint64_t sweeps = 0;
  uint64_t swept_bytes = 0;
};

class SetSweeps {
 public:
  using Warn = std::function<void(std::string_view)>;
  // `context` and `tree` must outlive this object. If `sweeps` is false, it does nothing.
  SetSweeps(skl_context* context, const SetTree& tree, bool sweeps, Warn warn);
  ~SetSweeps();
  SetSweeps(const SetSweeps&) = delete;
  SetSweeps& operator=(const SetSweeps&) = delete;

  // Starts a scenario. Any thread may call this. Does nothing if the scenario already waits or is
  // being swept.
  void start(uint32_t scenario);
  // Notes that a file is read from its beginning. Starts a scenario once the reads show which one
  // is being loaded.
  void note_read(uint32_t file);
  // If a sweep is about to read the file, waits a short time until it has passed the bytes up to
  // `end_bytes`.
  void wait_for(uint32_t file, uint64_t end_bytes);
  SweepFigures figures() const;

 private:
  void run(const std::stop_token& stop);
  void prepare();
  void sweep(uint32_t scenario, const std::stop_token& stop);
  void note_part(const skl_lease& lease);

  skl_context* context_;
  const SetTree& tree_;
  const bool sweeps_;
  Warn warn_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<uint32_t> waiting_;  // the first is being swept
  // Maps each file that the sweep is about to read to the number of bytes that it has passed.
  std::unordered_map<uint32_t, uint64_t> on_its_way_;
  std::unique_ptr<Recogniser> recogniser_;
  SweepFigures figures_;
  std::atomic<bool> is_sweeping_ = false;
  std::jthread sweeping_;
};

}  // namespace seekless

// A sweep's blocks, several read ahead by the scheduler while the caller uses what has come. They
// are checked and decoded as they arrive.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/block_feed.h"
#include "runtime/core.h"
#include "runtime/event.h"

namespace seekless::runtime {

class AheadFeed final : public BlockFeed, private BlockUser {
 public:
  // Called with `mutex` held, always; `event` is raised when it is worth asking again. `core` must
  // outlive it.
  AheadFeed(const SweepPlan& plan, Core& core, std::mutex& mutex, std::shared_ptr<Event> event);
  // Cancels what is under way and waits for it.
  ~AheadFeed() override;

  Result<skl_result> next(size_t position, HeldBlock& block) override;
  Result<skl_result> now(size_t position, HeldBlock& block) override;
  void skip(size_t position) override;

 private:
  struct Read;

  void memory_is_free() override { event_->raise(); }
  void give_up_ahead() override;
  void read_ahead(size_t position, bool is_needed_now);
  std::unique_ptr<Read> begin(size_t position, int32_t priority, bool is_needed_now);
  void drop_last();
  void drop(std::unique_ptr<Read> read);
  void bury();
  void note_place(size_t position);
  Result<skl_result> take(std::unique_ptr<Read>& read, HeldBlock& block);

  const SweepPlan& plan_;
  Core& core_;
  std::mutex& mutex_;
  const std::shared_ptr<Event> event_;
  std::deque<std::unique_ptr<Read>> ahead_;  // by position
  size_t next_ahead_ = 0;                    // behind the last of them
  std::vector<bool> is_skipped_;
  std::unique_ptr<Read> wanted_;
  std::vector<std::unique_ptr<Read>> dropped_;  // and not over yet
  size_t latest_position_ = 0;
};

}  // namespace seekless::runtime

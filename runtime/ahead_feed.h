// Feeds a sweep with blocks. The scheduler reads several blocks ahead while the caller uses those
// that have arrived. Blocks are checked and decoded as they arrive. When the blocks of a pack have
// been read, a thread that may wait for the disk opens the next pack.
#pragma once

#include <memory>
#include <mutex>

#include "runtime/block_feed.h"
#include "runtime/core.h"
#include "runtime/event.h"
#include "runtime/memory.h"

namespace seekless::runtime {

// If there is no memory or no thread to read a block, the block isn't lost: it is read at the next
// call.
class AheadFeed final : public BlockFeed, private BlockUser {
 public:
  // All functions must be called with `mutex` held. `event` is raised when asking again may
  // succeed. `core` must outlive this. Throws std::bad_alloc.
  AheadFeed(const SweepPlan& plan, Core& core, std::mutex& mutex, std::shared_ptr<Event> event);
  // Cancels the reads in progress and waits for them.
  ~AheadFeed() override;

  Result<skl_result> next(size_t position, HeldBlock& block) override;
  Result<skl_result> now(size_t position, HeldBlock& block) override;
  void skip(size_t position) override;
  Result<skl_result> open_next(bool is_needed) override;
  void fit_plan() override;

 private:
  struct Read;
  struct Opening;

  // A list of reads, sorted by position.
  struct Row {
    bool empty() const { return first == nullptr; }
    void push_back(Read& read);
    void take_out(Read& read);
    Read* find(size_t position) const;
    Read* first = nullptr;
    Read* last = nullptr;
    size_t size = 0;
  };

  void memory_is_free() override { event_->raise(); }
  void give_up_ahead() override;
  void read_ahead(size_t position, bool is_needed_now);
  void extend(size_t position, bool is_needed_now);
  void rewind(size_t position);
  Read* begin(size_t position, int32_t priority, bool is_needed_now);
  Read& new_read();
  void reuse(Read& read);
  void drop_last();
  void drop(Read& read);
  void note_place(size_t position);
  bool has_read_all() const;
  Result<skl_result> take(Read& read, HeldBlock& block);
  Result<skl_result> now(Read& read, HeldBlock& block);

  const SweepPlan& plan_;
  Core& core_;
  std::mutex& mutex_;
  const std::shared_ptr<Event> event_;
  Row ahead_;
  size_t next_ahead_ = 0;  // the position after the last read in ahead_
  Vector<uint8_t> is_skipped_;
  Read* wanted_ = nullptr;
  size_t latest_position_ = 0;
  Owned<Opening> opening_;  // opens the plan's next pack; null if that hasn't been requested

  // Spare records for the next reads. The scheduler's thread returns dropped records.
  std::mutex records_;
  Read* spare_ = nullptr;
  size_t dropped_ = 0;  // dropped reads that haven't ended yet
};

}  // namespace seekless::runtime

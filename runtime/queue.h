// A queue of requests in the background. It accepts them without waiting, lets the scheduler read
// them, checks the bytes, and hands out completions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core.h"
#include "runtime/event.h"
#include "runtime/name_space.h"
#include "runtime/recorder.h"
#include "runtime/structs.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {

class Queue final : private Closable, private BlockUser {
 public:
  // `names` and `recording` must exist until the core is closed or the queue ends. Throws
  // std::bad_alloc.
  Queue(std::shared_ptr<Core> core, const NameSpace& names, const Recording& recording,
        const skl_queue_options& options);
  // When it returns, `on_completion`, if given, has been called for all requests.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // A caller's array, whose elements may be of another version of the header.
  template <typename Struct>
  struct Row {
    Struct* first = nullptr;
    size_t stride_bytes = 0;
    size_t count = 0;
    Struct& operator[](size_t index) const { return element(first, stride_bytes, index); }
  };

  const Core& core() const { return *core_; }
  // These functions do the same as those in seekless.h.
  skl_result submit(const Row<const skl_request>& requests, size_t& accepted);
  skl_result poll(const Row<skl_completion>& out, size_t& count);
  skl_result wait(uint32_t timeout_ms, const Row<skl_completion>& out, size_t& count);
  size_t cancel(uint64_t tag, uint64_t mask);
  size_t reschedule(uint64_t tag, uint64_t mask, int32_t priority, uint32_t deadline_us);
  Result<intptr_t> handle();

 private:
  class Item;
  // Tells whether a tag matches an item; read without the lock.
  struct Mark {
    std::atomic<uint64_t> tag = 0;
    std::atomic<bool> is_under_way = false;
  };

  void close() override;
  void end();
  void memory_is_free() override { signal(); }
  void give_up_ahead() override {}
  enum class Start : uint8_t { done, parked, impossible };

  Item* take_free(const skl_request& request, size_t request_bytes);
  // `left_bytes` is how much the call may still read from the page cache on its own thread.
  void begin(Item& item, uint64_t& left_bytes);
  Start start(Item& item, uint64_t& left_bytes);
  void start_parked(uint64_t& left_bytes);
  void park(Item& item);
  void unpark(Item& item);
  void signal();
  template <typename Act>
  size_t for_each_meant(uint64_t tag, uint64_t mask, Act act);
  void fail(Item& item, const Error& error);
  void complete(Item& item, skl_result result);
  void give_up_lease(Item& item);
  void hand_out(Item& item, skl_completion& completion);
  void free(Item& item);
  void call_back(Item& item);

  const std::shared_ptr<Core> core_;
  const NameSpace& names_;
  const Recording& recording_;
  const skl_completion_function on_completion_;
  void* const completion_user_;
  Event event_;
  std::atomic<WaitHandle*> handle_ = nullptr;  // owned; created on first use
  std::mutex mutex_;
  Item* items_ = nullptr;
  Mark* marks_ = nullptr;  // one for each item
  const uint32_t capacity_;
  std::atomic<uint32_t> used_ = 0;  // items that have been used, counted from the first
  Item* free_ = nullptr;
  Item* parked_ = nullptr;  // a list of items that wait for memory, first to last
  Item* last_parked_ = nullptr;
  Item* over_ = nullptr;  // a list, first to last
  Item** over_end_ = &over_;
  size_t taken_ = 0;  // requests between submit and poll
  // Unfinished requests, and those whose completion function is running; part of taken_.
  size_t under_way_ = 0;
};

}  // namespace seekless::runtime

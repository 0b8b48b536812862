// A queue of requests in the background: takes them without waiting, has the scheduler read them,
// checks what came, and hands out completions.
#pragma once

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

namespace seekless::runtime {

class Queue final : private Closable, private BlockUser {
 public:
  // `names` and `recording` must be there until the core is closed or the queue ends. Throws
  // std::bad_alloc.
  Queue(std::shared_ptr<Core> core, const NameSpace& names, const Recording& recording,
        uint32_t capacity);
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

  // As the functions of the header.
  skl_result submit(const Row<const skl_request>& requests, size_t& accepted);
  skl_result poll(const Row<skl_completion>& out, size_t& count);
  skl_result wait(uint32_t timeout_ms, const Row<skl_completion>& out, size_t& count);
  size_t cancel(uint64_t tag, uint64_t mask);

 private:
  class Item;

  void close() override;
  void end();
  void memory_is_free() override { event_.raise(); }
  void give_up_ahead() override {}
  enum class Start : uint8_t { done, parked, impossible };

  Item* take_free(const skl_request& request, size_t request_bytes);
  void begin(Item& item);
  Start start(Item& item);
  void start_parked();
  void fail(Item& item, const Error& error);
  void complete(Item& item, skl_result result);
  void give_up_lease(Item& item);
  void hand_out(Item& item, skl_completion& completion);

  const std::shared_ptr<Core> core_;
  const NameSpace& names_;
  const Recording& recording_;
  Event event_;
  std::mutex mutex_;
  Item* items_ = nullptr;
  const uint32_t capacity_;
  Item* free_ = nullptr;
  Item* parked_ = nullptr;  // wait for memory, first to last
  Item** parked_end_ = &parked_;
  Item* over_ = nullptr;  // first to last
  Item** over_end_ = &over_;
  size_t taken_ = 0;      // from submit to poll
  size_t under_way_ = 0;  // of these, not over
};

}  // namespace seekless::runtime

// The C boundary: queues.
#include <string>

#include "runtime/context.h"
#include "runtime/queue.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_queue {
  Queue queue;
};

namespace {

constexpr uint32_t kDefaultCapacity = 1024;
constexpr uint32_t kMostCapacity = 65536;

// Returns false if the queue is null, or belongs to the process that this one was forked from.
bool is_usable(const skl_queue* queue) {
  return queue != nullptr && !is_forked(queue->queue.core());
}

// Returns the requests at the front that all have the same, valid struct_bytes.
Queue::Row<const skl_request> row_of(const skl_request* requests, size_t count) {
  Queue::Row<const skl_request> row = {.first = requests};
  if (count > 0) row.stride_bytes = stride_bytes<skl_request>(requests->struct_bytes);
  if (row.stride_bytes == 0) return row;
  while (row.count < count && row[row.count].struct_bytes == row.stride_bytes) ++row.count;
  return row;
}

skl_result wrong_size(const skl_request* requests, const Queue::Row<const skl_request>& row,
                      skl_error* error) {
  const bool is_first = row.count == 0;
  const uint32_t found = is_first ? requests->struct_bytes : row[row.count].struct_bytes;
  return fill(error, SKL_INVALID,
              join({"requests[", row.count, "].struct_bytes: expected ",
                    is_first ? Part("sizeof(skl_request)") : Part(row.stride_bytes),
                    is_first ? "" : ", as in those before it", ", found ", found}));
}

Queue::Row<skl_completion> row_of(skl_completion* out, size_t capacity) {
  const size_t bytes = capacity > 0 ? room_bytes(*out) : sizeof(*out);
  return {out, stride_bytes<skl_completion>(bytes), capacity};
}

}  // namespace

extern "C" {

skl_result skl_queue_create(skl_context* context, const skl_queue_options* options, skl_queue** out,
                            skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  skl_queue_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  if (taken.capacity > kMostCapacity) return invalid(error, "capacity: expected up to 65536");
  if (taken.capacity == 0) taken.capacity = kDefaultCapacity;
  return guarded(*context->core, error, [&] {
    *out = new skl_queue{Queue(context->core, context->names, context->recording, taken)};
    return SKL_OK;
  });
}

skl_result skl_queue_submit(skl_queue* queue, const skl_request* requests, size_t count,
                            size_t* accepted, skl_error* error) {
  size_t taken = 0;
  if (accepted != nullptr) *accepted = 0;
  if (queue == nullptr || (requests == nullptr && count > 0))
    return invalid(error, "expected a queue and requests");
  skl_result result = guarded(queue->queue.core(), error, [&] {
    const Queue::Row<const skl_request> row = row_of(requests, count);
    const skl_result submitted = queue->queue.submit(row, taken);
    if (submitted != SKL_OK || row.count == count) return submitted;
    return wrong_size(requests, row, error);
  });
  if (result == SKL_CANCELLED) fill(error, result, "the context is gone");
  if (accepted != nullptr) *accepted = taken;
  return result;
}

skl_result skl_queue_poll(skl_queue* queue, skl_completion* out, size_t capacity, size_t* count) {
  if (count != nullptr) *count = 0;
  if (queue == nullptr || out == nullptr || count == nullptr) return SKL_INVALID;
  const Queue::Row<skl_completion> row = row_of(out, capacity);
  if (row.stride_bytes == 0) return SKL_INVALID;
  return guarded(queue->queue.core(), nullptr, [&] { return queue->queue.poll(row, *count); });
}

skl_result skl_queue_wait(skl_queue* queue, uint32_t timeout_ms, skl_completion* out,
                          size_t capacity, size_t* count) {
  if (count != nullptr) *count = 0;
  if (queue == nullptr || out == nullptr || count == nullptr || capacity == 0) return SKL_INVALID;
  const Queue::Row<skl_completion> row = row_of(out, capacity);
  if (row.stride_bytes == 0) return SKL_INVALID;
  return guarded(queue->queue.core(), nullptr,
                 [&] { return queue->queue.wait(timeout_ms, row, *count); });
}

size_t skl_queue_cancel(skl_queue* queue, uint64_t tag, uint64_t mask) {
  return is_usable(queue) ? queue->queue.cancel(tag, mask) : 0;
}

size_t skl_queue_reschedule(skl_queue* queue, uint64_t tag, uint64_t mask, int32_t priority,
                            uint32_t deadline_us) {
  return is_usable(queue) ? queue->queue.reschedule(tag, mask, priority, deadline_us) : 0;
}

skl_result skl_queue_event(skl_queue* queue, intptr_t* handle, skl_error* error) {
  if (queue == nullptr || handle == nullptr) return invalid(error, "expected a queue and handle");
  return guarded(queue->queue.core(), error, [&] {
    const auto made = queue->queue.handle();
    if (!made) return fill(error, made.error());
    *handle = *made;
    return SKL_OK;
  });
}

skl_result skl_pump(skl_context* context, uint64_t budget_us) {
  if (context == nullptr || !context->core->is_pumped() || is_forked(*context->core))
    return SKL_INVALID;
  context->reloads.pump();
  switch (context->core->pump(now_us() + std::min(budget_us, UINT64_MAX / 2), 0)) {
    case Scheduler::Pumped::idle:
      return SKL_END;
    case Scheduler::Pumped::busy:
      return SKL_WOULD_BLOCK;
    default:
      return SKL_OK;
  }
}

void skl_queue_destroy(skl_queue* queue) {
  if (is_usable(queue)) delete queue;
}

}  // extern "C"

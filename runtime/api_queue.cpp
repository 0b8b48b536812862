// The C boundary: queues.
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

}  // namespace

extern "C" {

skl_result skl_queue_create(skl_context* context, const skl_queue_options* options, skl_queue** out,
                            skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  skl_queue_options taken;
  if (!take_options(options, taken))
    return invalid(error, "options: expected struct_bytes to be their size");
  if (taken.capacity > kMostCapacity) return invalid(error, "capacity: expected up to 65536");
  const uint32_t capacity = taken.capacity != 0 ? taken.capacity : kDefaultCapacity;
  return guarded(error, [&] {
    *out = new skl_queue{Queue(context->core, context->names, context->recording, capacity)};
    return SKL_OK;
  });
}

skl_result skl_queue_submit(skl_queue* queue, const skl_request* requests, size_t count,
                            size_t* accepted, skl_error* error) {
  size_t taken = 0;
  if (accepted != nullptr) *accepted = 0;
  if (queue == nullptr || (requests == nullptr && count > 0))
    return invalid(error, "expected a queue and requests");
  skl_result result = guarded(error, [&] { return queue->queue.submit(requests, count, taken); });
  if (result == SKL_CANCELLED) fill(error, result, "the context is gone");
  if (accepted != nullptr) *accepted = taken;
  return result;
}

skl_result skl_queue_poll(skl_queue* queue, skl_completion* out, size_t capacity, size_t* count) {
  if (count != nullptr) *count = 0;
  if (queue == nullptr || out == nullptr || count == nullptr) return SKL_INVALID;
  return guarded(nullptr, [&] { return queue->queue.poll(out, capacity, *count); });
}

skl_result skl_queue_wait(skl_queue* queue, uint32_t timeout_ms, skl_completion* out,
                          size_t capacity, size_t* count) {
  if (count != nullptr) *count = 0;
  if (queue == nullptr || out == nullptr || count == nullptr || capacity == 0) return SKL_INVALID;
  return guarded(nullptr, [&] { return queue->queue.wait(timeout_ms, out, capacity, *count); });
}

size_t skl_queue_cancel(skl_queue* queue, uint64_t tag, uint64_t mask) {
  return queue != nullptr ? queue->queue.cancel(tag, mask) : 0;
}

void skl_queue_destroy(skl_queue* queue) {
  delete queue;
}

}  // extern "C"

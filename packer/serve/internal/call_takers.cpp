#include "packer/serve/internal/call_takers.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include <pthread.h>

namespace seekless::serve {
namespace {

// A call needs less than a tenth of it.
constexpr size_t kTakerStackBytes = size_t{512} << 10;
// More threads than these don't wait for calls: each keeps a buffer of a megabyte.
constexpr unsigned kMostWaiting = 10;
constexpr auto kUntilMemory = std::chrono::milliseconds(20);
constexpr int kMostWaits = 100;

// Each thread keeps this alive.
struct Takers : std::enable_shared_from_this<Takers> {
  Takers(fuse_session* of, unsigned most) : session(of), most_threads(most) {}

  fuse_session* session;
  unsigned most_threads;
  std::mutex mutex;
  std::condition_variable has_ended;
  unsigned threads = 1;  // with the one that began
  unsigned waiting = 0;  // threads that wait for a call
  int error = 0;

  void take(bool is_first);
  bool may_come(int& waits);
  void begin_call();
  bool end_call(bool is_first);
  void start_another();
};

// Frees what libfuse allocated for a call.
struct CallBuffer {
  CallBuffer() = default;
  ~CallBuffer() { std::free(call.mem); }
  CallBuffer(const CallBuffer&) = delete;
  CallBuffer& operator=(const CallBuffer&) = delete;
  fuse_buf call = {};
};

void* be_taker(void* of) {
  const std::unique_ptr<std::shared_ptr<Takers>> takers(static_cast<std::shared_ptr<Takers>*>(of));
  (*takers)->take(false);
  const std::lock_guard lock((*takers)->mutex);
  --(*takers)->threads;
  (*takers)->has_ended.notify_all();
  return nullptr;
}

void Takers::take(bool is_first) {
  CallBuffer buffer;
  int waits = 0;  // for memory
  {
    const std::lock_guard lock(mutex);
    ++waiting;
  }
  for (;;) {
    const int got = ::fuse_session_receive_buf(session, &buffer.call);
    if (got == -EINTR || got == -EAGAIN) continue;
    // Threads that have a buffer go on; the first one waits until it can have its own.
    if (got == -ENOMEM && is_first && may_come(waits)) {
      std::this_thread::sleep_for(kUntilMemory);
      continue;
    }
    waits = 0;
    if (got <= 0) {
      const std::lock_guard lock(mutex);
      --waiting;
      if (got < 0 && (got != -ENOMEM || is_first)) error = got;
      return;
    }
    begin_call();
    ::fuse_session_process_buf(session, &buffer.call);
    if (!end_call(is_first)) return;
  }
}

// Returns true if there may be memory later: other threads go on, or it hasn't been missing for
// long.
bool Takers::may_come(int& waits) {
  const std::lock_guard lock(mutex);
  return threads > 1 || ++waits <= kMostWaits;
}

void Takers::begin_call() {
  const std::lock_guard lock(mutex);
  if (--waiting == 0 && threads < most_threads) start_another();
}

// Returns false if enough others wait for calls.
bool Takers::end_call(bool is_first) {
  const std::lock_guard lock(mutex);
  if (!is_first && waiting >= kMostWaiting) return false;
  ++waiting;
  return true;
}

void Takers::start_another() {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, kTakerStackBytes);
  auto* of = new (std::nothrow) std::shared_ptr<Takers>(shared_from_this());
  pthread_t thread = {};
  if (of != nullptr && ::pthread_create(&thread, &attributes, be_taker, of) == 0)
    ++threads;
  else
    delete of;
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

int take_calls_with_threads(fuse_session* session, unsigned most_threads) {
  const auto takers = std::make_shared<Takers>(session, most_threads);
  takers->take(true);
  std::unique_lock lock(takers->mutex);
  takers->has_ended.wait(lock, [&] { return takers->threads == 1; });
  return takers->error;
}

}  // namespace seekless::serve

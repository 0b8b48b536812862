#include "integration/runtime/faults.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <pthread.h>

extern "C" {
// The C library's own functions, under the names that it provides for programs that replace malloc.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace faults {
namespace {

std::atomic<bool> is_armed = false;
std::atomic<Kind> armed_kind = Kind::allocation;
std::atomic<bool> fails_all_later = false;
std::atomic<int64_t> left = 0;
std::atomic<bool> has_failed = false;

std::atomic<uint64_t> allocation_count = 0;

// Threads that the program doesn't start begin inside the library.
thread_local bool is_program_thread = false;
thread_local bool is_inside = true;
// The first thread is the program's; it runs constructors before anything else does.
[[maybe_unused]] const bool knows_first_thread = [] {
  is_program_thread = true;
  is_inside = false;
  return true;
}();
thread_local bool is_starting_thread = false;

// Addresses of what the library has allocated: a table without locks that needs no memory.
constexpr size_t kPlaces = size_t{1} << 16;
std::array<std::atomic<void*>, kPlaces> addresses;
std::atomic<uint64_t> address_count = 0;
// Marks a freed place; the search continues, because others may lie past it.
void* const kFreed = &addresses;

size_t home_of(const void* memory) {
  return (reinterpret_cast<uintptr_t>(memory) >> 4) * 0x9E3779B97F4A7C15U >> 48;
}

void* note(void* memory) {
  if (memory == nullptr || !is_inside) return memory;
  ++allocation_count;
  // The C library keeps some of this memory for the next thread.
  if (is_starting_thread) return memory;
  for (size_t i = 0; i < kPlaces; ++i) {
    std::atomic<void*>& place = addresses[(home_of(memory) + i) % kPlaces];
    void* found = place.load();
    if (found != nullptr && found != kFreed) continue;
    if (!place.compare_exchange_strong(found, memory)) continue;
    ++address_count;
    return memory;
  }
  std::abort();
}

void forget(void* memory) {
  if (memory == nullptr || address_count.load() == 0) return;
  for (size_t i = 0; i < kPlaces; ++i) {
    std::atomic<void*>& place = addresses[(home_of(memory) + i) % kPlaces];
    const void* found = place.load();
    if (found == nullptr) return;
    if (found != memory) continue;
    place.store(kFreed);
    --address_count;
    return;
  }
}

}  // namespace

bool allows(Kind kind) {
  if (!is_inside || !is_armed.load() || armed_kind.load() != kind) return true;
  const int64_t after = left.fetch_sub(1) - 1;
  if (after > 0 || (after < 0 && !fails_all_later.load())) return true;
  has_failed = true;
  return false;
}

void arm(Kind kind, uint64_t nth, bool and_all_later) {
  armed_kind = kind;
  fails_all_later = and_all_later;
  left = static_cast<int64_t>(nth);
  has_failed = false;
  is_armed = true;
}

bool disarm() {
  is_armed = false;
  return has_failed;
}

uint64_t allocations() {
  return allocation_count;
}

uint64_t unfreed() {
  return address_count;
}

Inside::Inside(bool of) : was_inside_(is_inside) {
  is_inside = of;
}
Inside::~Inside() {
  is_inside = was_inside_;
}

}  // namespace faults

using namespace faults;

extern "C" {

void* malloc(size_t size) {
  if (!allows(Kind::allocation)) return errno = ENOMEM, nullptr;
  return note(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) {
  if (!allows(Kind::allocation)) return errno = ENOMEM, nullptr;
  return note(__libc_calloc(count, size));
}

void* realloc(void* memory, size_t size) {
  if (!allows(Kind::allocation)) return errno = ENOMEM, nullptr;
  void* const fresh = __libc_realloc(memory, size);
  if (fresh == nullptr) return nullptr;
  forget(memory);
  return note(fresh);
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (!allows(Kind::allocation)) return errno = ENOMEM, nullptr;
  return note(__libc_memalign(alignment, size));
}

void* memalign(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}

void free(void* memory) {
  forget(memory);
  __libc_free(memory);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Create create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!allows(Kind::thread)) return EAGAIN;
  is_starting_thread = true;
  const int result = create(thread, attributes, work, argument);
  is_starting_thread = false;
  return result;
}

}  // extern "C"

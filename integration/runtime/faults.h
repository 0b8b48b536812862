// Memory and threads that run out where a test says: the program's malloc (and with it operator
// new), calloc, realloc, aligned_alloc and pthread_create are replaced by ones that count and fail
// what the library asks for. What the program itself asks for is left alone: it says when it is in
// the library; threads that it didn't start are always in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faults {

// `hook`: what a function asks for that the library calls, such as an allocator's.
enum class Kind { allocation, hook, thread };

// From now on, the n-th (from 1) of this kind fails; or that and all that follow.
void arm(Kind kind, uint64_t nth, bool and_all_later);
// Nothing fails any more. True if something has since arm().
bool disarm();

// Allocations by the library since the program began, and how many of them aren't freed. What the
// system keeps for threads it has started isn't among them.
uint64_t allocations();
uint64_t unfreed();

// False if this one is to fail.
bool allows(Kind kind);

// The program is in the library as long as one exists; or out of it again, in a function that the
// library calls.
class Inside {
 public:
  explicit Inside(bool is_inside = true);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const bool was_inside_;
};

}  // namespace faults

// Makes allocations and thread starts fail where a test says. It replaces the program's malloc (and
// with it operator new), calloc, realloc, aligned_alloc and pthread_create by functions that count
// the library's requests and make them fail. The program's own requests don't fail. The program
// says when it is in the library; threads that it didn't start are always in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faults {

// `hook` is memory that the library requests through a function of the game's, such as an
// allocator.
enum class Kind { allocation, hook, thread };

// From now on, the n-th call of this kind (from 1) fails; with `and_all_later`, all later ones,
// too.
void arm(Kind kind, uint64_t nth, bool and_all_later);
// Ends all faults. Returns true if something has failed since arm().
bool disarm();

// Allocations by the library since the program began, and how many of them aren't freed. Memory
// that the C library keeps for threads isn't counted.
uint64_t allocations();
uint64_t unfreed();

// Returns false if this call must fail.
bool allows(Kind kind);

// While an object exists, the program counts as in the library; or as out of it, in a function that
// the library calls.
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

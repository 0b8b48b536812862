// Paths that the operating system failed to tell anything of: a disk that fails, no memory. Whoever
// asks only whether something is there goes on as if it weren't; so they are counted here, and the
// program says at its end that what it did may not be all. From any thread.
#pragma once

#include <cstdint>
#include <string>

namespace seekless {

struct Unseen {
  uint64_t count = 0;
  std::string path;  // of the first
  int os_error = 0;
};

// What merely isn't there, or isn't ours to see, is not counted.
void note_unseen(const std::string& path, int os_error);
Unseen unseen_paths();

}  // namespace seekless

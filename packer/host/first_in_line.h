// Lets a thread that measures times run before other programs, so that those don't make a drive
// seem slow.
#pragma once

#include <cstdint>

namespace seekless {

// While it exists, the thread that made it runs before those of other programs; threads that it
// starts don't. Only for threads that mostly wait. Changes nothing if this user may not do that:
// Linux allows it to root, or up to a limit (ulimit -r).
class FirstInLine {
 public:
  FirstInLine();
  ~FirstInLine();
  FirstInLine(const FirstInLine&) = delete;
  FirstInLine& operator=(const FirstInLine&) = delete;

 private:
  bool is_changed_ = false;
  int policy_ = 0;
  int priority_ = 0;
};

}  // namespace seekless

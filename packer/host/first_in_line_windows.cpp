#include <windows.h>

#include "packer/host/first_in_line.h"

namespace seekless {

FirstInLine::FirstInLine() {
  priority_ = ::GetThreadPriority(::GetCurrentThread());
  if (priority_ == THREAD_PRIORITY_ERROR_RETURN) return;
  is_changed_ = ::SetThreadPriority(::GetCurrentThread(), THREAD_PRIORITY_HIGHEST) != 0;
}

FirstInLine::~FirstInLine() {
  if (is_changed_) (void)::SetThreadPriority(::GetCurrentThread(), priority_);
}

}  // namespace seekless

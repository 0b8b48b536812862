#include "runtime/fork_mark.h"

namespace seekless::runtime {

ForkMark::ForkMark() = default;

ForkMark::~ForkMark() = default;

// Windows has no fork().
bool ForkMark::is_other_process() const {
  return false;
}

}  // namespace seekless::runtime

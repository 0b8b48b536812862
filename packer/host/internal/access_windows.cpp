#include "packer/host/internal/access.h"

namespace seekless {

// Does nothing, because a file inherits its rights from its folder, before and after.
void take_over_access(int, const std::string&) noexcept {}

}  // namespace seekless

#include "packer/host/internal/access.h"

namespace seekless {

// A file's rights are those that its folder hands down, before and after.
void take_over_access(int, const std::string&) noexcept {}

}  // namespace seekless

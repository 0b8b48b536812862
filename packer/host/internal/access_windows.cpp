#include "packer/host/internal/access.h"

namespace seekless {

// Does nothing: both files inherit their rights from the same folder.
void take_over_access(int, const std::string&) noexcept {}

}  // namespace seekless

#include "packer/serve/internal/descriptor_budget.h"

namespace seekless {

// The game may want a file for itself, so the sweep holds only the one that it reads and the next.
DescriptorBudget descriptor_budget() {
  return {.folders = 0, .files = 2};
}

}  // namespace seekless

// Limits how many files and folders the server holds open for itself. Most of its descriptors are
// for the files that the game opens.
#pragma once

#include <cstddef>

namespace seekless {

struct DescriptorBudget {
  size_t folders = 0;  // folders that the game has looked into
  size_t files = 0;    // files that are swept or copied
};

DescriptorBudget descriptor_budget();

}  // namespace seekless

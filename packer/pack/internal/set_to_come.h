// Checks every byte of a set that is about to replace another one. The staged files may have been
// damaged, and the set that they replace may be the only intact one.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// Checks the set whose catalog lies in `ready`; packs that aren't there are taken from `folder`,
// its destination. An error of kind `damaged` names the fault, and ends with `advice`.
Result<void> check_set_to_come(const std::string& ready, const std::string& folder,
                               const std::string& advice);

// Checks the file as it will be after the edit in the journal (file_edit.h).
Result<void> check_edit_to_come(const std::string& journal, const std::string& file);

}  // namespace seekless

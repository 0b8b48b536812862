// Looks at what is about to be put in the place of a set, every byte of it, as it would be then:
// what lies ready may have been damaged since, and what it replaces may be the only sound set there
// is.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// The set whose catalog lies in `ready`; its packs that don't lie there are those in `folder`,
// where it is to come. An error of kind damaged says what is wrong; `advice` is its end.
Result<void> check_set_to_come(const std::string& ready, const std::string& folder,
                               const std::string& advice);

// The file as it would be after the edit that the journal (file_edit.h) describes.
Result<void> check_edit_to_come(const std::string& journal, const std::string& file);

}  // namespace seekless

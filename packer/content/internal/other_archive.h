// Recognises archives that can't be taken apart here, so that the user learns what the file is, and
// that it counts as one asset.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// Returns words to follow "is": "a RAR archive". Empty for any other file.
Result<std::string> kind_of_other_archive(const ByteSource& source);

}  // namespace seekless

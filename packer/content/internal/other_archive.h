// Archives of kinds that nothing here takes apart, told by their bytes: so that a user hears what
// such a file is, and that it is taken whole.
#pragma once

#include <string_view>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// What the file is, to stand after "is": "a RAR archive". Empty for any other file. Static.
Result<std::string_view> kind_of_other_archive(const ByteSource& source);

}  // namespace seekless

// Undoes gzip and zip on the way, in bounded memory, for unpack.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// Members of gzip, one or several. One that is cut short gives what is there, and then a warning.
Result<std::unique_ptr<ByteStream>> unpack_gzip(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings);
// The one file of a zip, stored or deflated, by its local header; folders beside it are passed
// over, and so is what macOS adds. A second file is an error, at the end of the first: which of
// them is the trace is for a person to say.
Result<std::unique_ptr<ByteStream>> unpack_zip(std::unique_ptr<ByteStream> packed);

}  // namespace seekless

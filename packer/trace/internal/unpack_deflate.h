// Unpacks gzip and zip while reading, in bounded memory, for unpack.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// Unpacks one or several gzip members. Reads a member that is cut short up to the cut, and then
// warns.
Result<std::unique_ptr<ByteStream>> unpack_gzip(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings);
// Unpacks the one file of a zip, stored or deflated, by its local header. Folders, and files that
// macOS adds, are skipped. A second file is an error at the end of the first, because a person must
// say which of them is the trace.
Result<std::unique_ptr<ByteStream>> unpack_zip(std::unique_ptr<ByteStream> packed);

}  // namespace seekless

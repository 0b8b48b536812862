// Undoes zstd on the way, in bounded memory, for unpack.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// Frames of zstd, one or several. One that is cut short gives what is there, and then a warning.
// Those that want a window of more than 128 MiB (zstd --long=28 and above) are refused.
Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings);

}  // namespace seekless

// Unpacks one or several LZ4 or zstd frames while reading, in bounded memory, for unpack.cpp. Reads
// a frame that is cut short up to the cut, and then warns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

Result<std::unique_ptr<ByteStream>> unpack_lz4(std::unique_ptr<ByteStream> packed,
                                               std::vector<std::string>& warnings);
// Refuses frames that need a window of more than 128 MiB (zstd --long=28 and above).
Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings);

}  // namespace seekless

// Makes a stream that comes once readable at any place: copies it to a temporary file without a
// name, which goes away with what is returned.
#pragma once

#include <memory>

#include "packer/host/files.h"

namespace seekless {

Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream);

}  // namespace seekless

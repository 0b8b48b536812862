// Copies a stream that can be read once to a temporary file without a name, so that it can be read
// at any offset. The file disappears with the returned object.
#pragma once

#include <memory>

#include "packer/host/files.h"

namespace seekless {

Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream);

}  // namespace seekless

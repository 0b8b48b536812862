// Reads the names of chunks from the directory index of a .utoc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// Returns a path for each chunk, empty if the index has none for it. The index lies between the
// offsets. It only names chunks, so an index that isn't understood gives no names.
Result<std::vector<std::string>> read_iostore_names(const ByteSource& directory,
                                                    uint64_t begin_bytes, uint64_t end_bytes,
                                                    size_t chunk_count);

}  // namespace seekless

#include "runtime/file_io.h"

namespace seekless::runtime {

Error read_error(const File& file, uint64_t offset_bytes, uint64_t missing_bytes, int os_error) {
  if (os_error != 0) return call_failed(file.name(), "read", os_error, offset_bytes).error();
  return damaged(file.name() + ": byte " + std::to_string(offset_bytes) + ": expected " +
                     std::to_string(missing_bytes) +
                     " more bytes, found the end; the file is cut short",
                 offset_bytes)
      .error();
}

}  // namespace seekless::runtime

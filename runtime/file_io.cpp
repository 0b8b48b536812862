#include "runtime/file_io.h"

namespace seekless::runtime {

Error read_error(const File& file, uint64_t offset_bytes, uint64_t missing_bytes, int os_error) {
  if (os_error != 0) return call_failed(file.name(), "read", os_error, offset_bytes).error();
  return damaged({file.name(), ": byte ", offset_bytes, ": expected ", missing_bytes,
                  " more bytes, found the end; the file is cut short"},
                 offset_bytes)
      .error();
}

std::optional<Error> not_in_file(const std::string& name, uint64_t file_bytes,
                                 uint64_t offset_bytes, uint64_t& length_bytes) {
  if (offset_bytes <= file_bytes) {
    const uint64_t rest = file_bytes - offset_bytes;
    if (length_bytes == SKL_TO_THE_END) length_bytes = rest;
    if (length_bytes <= rest) return std::nullopt;
  }
  return Error{SKL_INVALID, join({name, ": expected ", length_bytes, " bytes at ", offset_bytes,
                                  " of its descriptor, found ", file_bytes, " bytes in all"})};
}

}  // namespace seekless::runtime

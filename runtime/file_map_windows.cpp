#include "runtime/file_map.h"

namespace seekless::runtime {

// On Windows, a page that can't be read raises a structured exception, and nothing can check that
// beforehand.
Result<FileMap> FileMap::make(const File& file) {
  return make_error(SKL_UNSUPPORTED,
                    {file.name(),
                     ": cannot map: Windows isn't supported; call skl_read for its "
                     "assets"});
}

FileMap::FileMap(FileMap&& other) noexcept
    : file_(other.file_),
      memory_(other.memory_),
      mapped_bytes_(other.mapped_bytes_),
      begin_bytes_(other.begin_bytes_),
      stamp_(other.stamp_) {}

FileMap::~FileMap() = default;

Result<std::span<const std::byte>> FileMap::bring(uint64_t, uint64_t) const {
  return make_error(SKL_UNSUPPORTED, {file_->name(), ": cannot map"});
}

FileMap::Stamp FileMap::stamp_of(const File&) {
  return {};
}

bool FileMap::has_changed(uint64_t) const {
  return false;
}

}  // namespace seekless::runtime

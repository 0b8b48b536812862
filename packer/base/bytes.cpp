#include "packer/base/bytes.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace seekless {

std::unexpected<Error> past_the_end(const std::string& name, uint64_t offset_bytes,
                                    uint64_t length_bytes, uint64_t size_bytes) {
  return damaged({.file = name,
                  .place = fmt::format("byte {}", offset_bytes),
                  .expected = fmt::format("{} more bytes", length_bytes),
                  .found = fmt::format("the end of the file at byte {}", size_bytes),
                  .advice = "it is cut short, or changed while it was read"});
}

Result<void> MemorySource::read_at(uint64_t offset_bytes, std::span<std::byte> into) const {
  if (offset_bytes > bytes_.size() || into.size() > bytes_.size() - offset_bytes)
    return past_the_end(name_, offset_bytes, into.size(), bytes_.size());
  std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset_bytes), into.size(), into.begin());
  return {};
}

Result<size_t> MemoryStream::read(std::span<std::byte> into) {
  const size_t count = std::min(into.size(), bytes_.size() - position_);
  std::memcpy(into.data(), bytes_.data() + position_, count);
  position_ += count;
  return count;
}

}  // namespace seekless

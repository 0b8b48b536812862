#include "packer/repack/internal/window_source.h"

#include <algorithm>
#include <cstring>

namespace seekless {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kFirstBytes = size_t{16} << 10;
constexpr size_t kGrowth = 8;
constexpr size_t kLongReadBytes = size_t{256} << 10;

}  // namespace

Result<void> WindowSource::read_at(uint64_t offset_bytes, std::span<std::byte> into) const {
  const uint64_t size = source_->size_bytes();
  if (into.size() >= kLongReadBytes || offset_bytes > size || into.size() > size - offset_bytes)
    return source_->read_at(offset_bytes, into);
  const uint64_t window_end = window_offset_bytes_ + window_.size();
  const bool starts_inside = offset_bytes >= window_offset_bytes_ && offset_bytes <= window_end;
  if (!starts_inside || into.size() > window_end - offset_bytes) {
    const size_t wanted =
        starts_inside ? std::min(kGrowth * std::max(window_.size(), kFirstBytes), kMostBytes)
                      : kFirstBytes;
    window_.resize(std::min<uint64_t>(std::max(wanted, into.size()), size - offset_bytes));
    window_offset_bytes_ = offset_bytes;
    if (auto read = source_->read_at(offset_bytes, window_); !read) {
      window_.clear();
      return read;
    }
  }
  // With an empty destination, memcpy would be undefined.
  if (!into.empty())
    std::memcpy(into.data(), window_.data() + (offset_bytes - window_offset_bytes_), into.size());
  return {};
}

}  // namespace seekless

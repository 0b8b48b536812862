#include "runtime/adapters/physfs/file.h"

#include <algorithm>
#include <cstring>

namespace seekless::physfs {

bool File::seek(uint64_t position) {
  if (position > found_.size_bytes) return false;
  position_ = position;
  return true;
}

bool File::holds_position() const {
  return position_ >= window_start_ && position_ - window_start_ < window_.size();
}

// The whole file if it fits, since only whole ones are checked against their hash.
bool File::fill_window(skl_error* error) {
  window_start_ = found_.size_bytes <= kWindowBytes ? 0 : position_;
  window_.resize(std::min<uint64_t>(kWindowBytes, found_.size_bytes - window_start_));
  if (archive_->read(found_.asset, window_start_, window_, error)) return true;
  window_.clear();
  return false;
}

int64_t File::read(std::span<char> into, skl_error* error) {
  size_t done = 0;
  const size_t wanted = std::min<uint64_t>(into.size(), found_.size_bytes - position_);
  while (done < wanted) {
    size_t count = wanted - done;
    // A read that would fill the window, or is of the whole file, goes straight to the caller.
    if (!holds_position() && (count >= kWindowBytes || count == found_.size_bytes)) {
      if (!archive_->read(found_.asset, position_, into.subspan(done, count), error)) return -1;
    } else {
      if (!holds_position() && !fill_window(error)) return -1;
      const size_t at = position_ - window_start_;
      count = std::min(count, window_.size() - at);
      std::memcpy(into.data() + done, window_.data() + at, count);
    }
    position_ += count;
    done += count;
  }
  return static_cast<int64_t>(done);
}

}  // namespace seekless::physfs

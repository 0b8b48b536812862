// Owns an open file of the operating system, for code that calls it directly.
#pragma once

#include <utility>

#include "packer/host/calls.h"

namespace seekless {

// Owns a file and closes it at the end, unless it is standard input. Errors from closing are
// ignored: after reading they don't matter, and PendingFile, which writes, checks for them earlier.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ > 0) calls::close(value_);
  }
  int get() const { return value_; }  // negative if opening failed
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

}  // namespace seekless

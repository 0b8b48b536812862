// Owns an open file of the operating system, for code that calls it directly.
#pragma once

#include <utility>

#include "packer/host/calls.h"

namespace seekless {

// Closes the file at the end, but never standard input. An error from closing comes too late to
// matter for reading; PendingFile, which writes, checks before.
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

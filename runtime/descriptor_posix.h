// Owns an open file of the operating system. Programs close descriptors that aren't theirs
// (closefrom), and the next opened file gets the same number. So the library checks that a
// descriptor is still its own before it writes to it, waits on it or closes it.
#pragma once

#include <cstdint>
#include <utility>

namespace seekless::runtime {

// Identifies the file behind a descriptor. Anonymous files of the same kind (eventfd, inotify, and
// io_uring before Linux 5.16) can't be distinguished.
class DescriptorIdentity {
 public:
  DescriptorIdentity() = default;
  explicit DescriptorIdentity(int number);
  // Returns true if the descriptor still refers to the same file, or if the system doesn't say.
  bool is_of(int number) const;

 private:
  uint64_t device_ = 0;
  uint64_t file_ = 0;  // 0: unknown
};

// Closes the file when destroyed, so it is closed even if its final owner can't be allocated.
class Descriptor {
 public:
  explicit Descriptor(int number);
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)), identity_(other.identity_) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int number() const { return number_; }  // negative if opening failed
  bool is_own() const { return identity_.is_of(number_); }

 private:
  int number_;
  DescriptorIdentity identity_;
};

}  // namespace seekless::runtime

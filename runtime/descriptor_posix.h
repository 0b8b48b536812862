// Owns an open file of the operating system. Programs close numbers that aren't theirs (closefrom),
// and the next file that is opened gets the same number. So the library checks that a number is
// still its own before it writes to it, waits by it or closes it.
#pragma once

#include <cstdint>
#include <utility>

namespace seekless::runtime {

// Identifies the file behind a number. Two files of a kind without names (eventfd, inotify, and
// io_uring before Linux 5.16) can't be told apart.
class DescriptorIdentity {
 public:
  DescriptorIdentity() = default;
  explicit DescriptorIdentity(int number);
  // Returns true if the number stands for the same file, or if the system doesn't say.
  bool is_of(int number) const;

 private:
  uint64_t device_ = 0;
  uint64_t file_ = 0;  // 0: unknown
};

// Closes the file when destroyed, even if there was no memory for the object that was to own it.
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

// Counts how many reads there were of each size, in fixed memory. Classes are a sixteenth of a
// power of two, so powers of two, the usual sizes, are exact.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "packer/analysis/sum.h"

namespace seekless {

class SizeHistogram {
 public:
  struct Class {
    uint64_t count = 0;
    uint64_t bytes = 0;
  };

  // `size` must be at least 1.
  void add(uint64_t size) {
    Class& of = classes_[class_of(size)];
    ++of.count;
    add_to(of.bytes, size);
  }

  // These return the smallest size such that half of the reads, or reads with half of the bytes,
  // are no larger. The result is up to 6 % too low unless it is a power of two. 0 if there are no
  // sizes.
  uint64_t median() const {
    return middle([](const Class& of) { return of.count; });
  }
  uint64_t median_by_bytes() const {
    return middle([](const Class& of) { return of.bytes; });
  }

  // Sums the sizes from 2^power to 2^(power + 1) - 1.
  Class power_of_two(unsigned power) const {
    Class sum;
    for (size_t i = class_of(uint64_t{1} << power); i < kClasses; ++i) {
      const uint64_t begin = begin_of(i);
      if (begin >> power != 1) break;
      sum.count += classes_[i].count;
      add_to(sum.bytes, classes_[i].bytes);
    }
    return sum;
  }

 private:
  static constexpr unsigned kStepBits = 4;
  static constexpr size_t kSteps = size_t{1} << kStepBits;
  static constexpr size_t kClasses = (64 - kStepBits + 1) * kSteps;

  static size_t class_of(uint64_t size) {
    const auto power = static_cast<unsigned>(std::bit_width(size)) - 1;
    if (power < kStepBits) return size;  // the first classes hold one size each
    const unsigned shift = power - kStepBits;
    return (shift + 1) * kSteps + ((size >> shift) & (kSteps - 1));
  }
  static uint64_t begin_of(size_t index) {
    if (index < kSteps) return index;
    return (kSteps + index % kSteps) << (index / kSteps - 1);
  }

  template <typename Weight>
  uint64_t middle(Weight weight) const {
    uint64_t total = 0;
    for (const Class& of : classes_) add_to(total, weight(of));
    uint64_t sum = 0;
    for (size_t i = 0; i < kClasses; ++i) {
      add_to(sum, weight(classes_[i]));
      if (total > 0 && sum >= total / 2 + total % 2) return begin_of(i);
    }
    return 0;
  }

  std::array<Class, kClasses> classes_ = {};
};

}  // namespace seekless

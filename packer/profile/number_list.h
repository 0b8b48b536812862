// Stores a run's asset numbers in one or two bytes each, as differences to the previous number plus
// one; profiles number assets in the order they are first read. So hundreds of recordings of
// hundreds of thousands of assets fit in memory. The list can only be read from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

#include "runtime/varint.h"

namespace seekless {

class NumberList {
 public:
  class NumberIterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;
    using value_type = uint32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const uint32_t*;
    using reference = uint32_t;

    NumberIterator() = default;
    NumberIterator(const std::byte* at, const std::byte* end) : at_(at), next_(at), end_(end) {
      read();
    }

    uint32_t operator*() const { return value_; }
    NumberIterator& operator++() {
      at_ = next_;
      read();
      return *this;
    }
    NumberIterator operator++(int) {
      const NumberIterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const NumberIterator& other) const { return at_ == other.at_; }

   private:
    void read() {
      if (at_ == end_) return;
      uint64_t code = 0;
      next_ = varint::take(at_, end_, code);
      value_ = static_cast<uint32_t>(expected_ + varint::unzigzag(code));
      expected_ = int64_t{value_} + 1;
    }

    const std::byte* at_ = nullptr;
    const std::byte* next_ = nullptr;
    const std::byte* end_ = nullptr;
    int64_t expected_ = 0;
    uint32_t value_ = 0;
  };

  using value_type = uint32_t;
  using reference = uint32_t;
  using const_reference = uint32_t;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = NumberIterator;
  using const_iterator = NumberIterator;

  NumberList() = default;
  // Takes no more memory than it needs. It isn't explicit, because callers pass vectors of numbers.
  NumberList(std::span<const uint32_t> numbers);
  NumberList(const std::vector<uint32_t>& numbers) : NumberList(std::span(numbers)) {}
  NumberList(std::initializer_list<uint32_t> numbers)
      : NumberList(std::span(numbers.begin(), numbers.size())) {}

  NumberIterator begin() const { return {bytes_.data(), bytes_.data() + bytes_.size()}; }
  NumberIterator end() const {
    return {bytes_.data() + bytes_.size(), bytes_.data() + bytes_.size()};
  }
  size_t size() const { return size_; }
  size_t size_bytes() const { return bytes_.size(); }
  bool empty() const { return size_ == 0; }
  void push_back(uint32_t number);
  std::vector<uint32_t> to_vector() const;

  bool operator==(const NumberList&) const = default;

 private:
  std::vector<std::byte> bytes_;
  size_t size_ = 0;
  int64_t expected_ = 0;  // one past the last number: the value that takes one byte
};

}  // namespace seekless

#include "packer/profile/number_list.h"

#include <array>

namespace seekless {
namespace {

// Counts as the list's reader does: after the largest number comes one past it.
int64_t after(uint32_t number) {
  return int64_t{number} + 1;
}

}  // namespace

NumberList::NumberList(std::span<const uint32_t> numbers)
    : size_(numbers.size()), expected_(numbers.empty() ? 0 : after(numbers.back())) {
  std::array<std::byte, varint::kLongestBytes> code = {};
  size_t length = 0;
  int64_t expected = 0;
  for (const uint32_t number : numbers) {
    length += static_cast<size_t>(varint::put(code.data(), varint::zigzag(number - expected)) -
                                  code.data());
    expected = after(number);
  }
  bytes_.resize(length + varint::kLongestBytes);
  std::byte* to = bytes_.data();
  expected = 0;
  for (const uint32_t number : numbers) {
    to = varint::put(to, varint::zigzag(number - expected));
    expected = after(number);
  }
  bytes_.resize(length);
}

void NumberList::push_back(uint32_t number) {
  std::array<std::byte, varint::kLongestBytes> code = {};
  const std::byte* const end = varint::put(code.data(), varint::zigzag(number - expected_));
  bytes_.insert(bytes_.end(), code.cbegin(), code.cbegin() + (end - code.data()));
  expected_ = after(number);
  ++size_;
}

std::vector<uint32_t> NumberList::to_vector() const {
  std::vector<uint32_t> numbers;
  numbers.reserve(size_);
  for (const uint32_t number : *this) numbers.push_back(number);
  return numbers;
}

}  // namespace seekless

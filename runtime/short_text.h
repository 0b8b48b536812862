// A line of text in a fixed buffer, truncated if too long. It is for the library's own threads,
// which can't report that there is no memory.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstring>
#include <string_view>

namespace seekless::runtime {

class ShortText {
 public:
  // Takes texts and whole numbers.
  template <typename... Parts>
  explicit ShortText(const Parts&... parts) {
    (add(parts), ...);
  }
  operator std::string_view() const { return {text_.data(), size_}; }

 private:
  void add(std::string_view text) {
    const size_t length = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), length);
    size_ += length;
  }
  void add(std::integral auto number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    add(std::string_view(digits.data(), static_cast<size_t>(end - digits.data())));
  }

  std::array<char, 256> text_;
  size_t size_ = 0;
};

}  // namespace seekless::runtime

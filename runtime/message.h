// Joins texts and numbers into a message. String concatenation would take several times as much
// code at each call, and most of the reader is checks with a message each.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace seekless::runtime {

// A number, or a text that must outlive the part.
class Part {
 public:
  Part(const char* text) : Part(std::string_view(text)) {}
  Part(std::string_view text)
      : text_(text.data() != nullptr ? text.data() : ""), value_(text.size()) {}
  Part(const std::string& text) : text_(text.data()), value_(text.size()) {}
  Part(std::unsigned_integral auto number) : text_(nullptr), value_(number) {}

  // Appends the part to the message.
  void add_to(std::string& message) const;
  size_t longest() const { return text_ != nullptr ? value_ : kMostDigits; }

 private:
  static constexpr size_t kMostDigits = 20;

  const char* text_;
  uint64_t value_;  // the text's length, or the number
};

using Parts = std::initializer_list<Part>;

// Throws std::bad_alloc.
std::string join(Parts parts);

}  // namespace seekless::runtime

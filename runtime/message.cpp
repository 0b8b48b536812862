#include "runtime/message.h"

#include <array>
#include <charconv>

namespace seekless::runtime {

void Part::add_to(std::string& message) const {
  if (text_ != nullptr) {
    message.append(text_, value_);
    return;
  }
  std::array<char, kMostDigits> digits;
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value_).ptr;
  message.append(digits.data(), static_cast<size_t>(end - digits.data()));
}

std::string join(Parts parts) {
  size_t longest = 0;
  for (const Part& part : parts) longest += part.longest();
  std::string message;
  message.reserve(longest);
  for (const Part& part : parts) part.add_to(message);
  return message;
}

}  // namespace seekless::runtime

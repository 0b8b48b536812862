// Reads values of JSON that anyone may have written, for the packer's readers.
#pragma once

#include <concepts>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace seekless {

// Reads a number. The library itself would convert 1.5, -1 and true to numbers of any type. `what`
// is for the message of the exception, which is one of the library's.
template <std::unsigned_integral Number, typename Json>
Number whole_number(const Json& json, const char* what) {
  if (!json.is_number_unsigned() ||
      json.template get<uint64_t>() > std::numeric_limits<Number>::max())
    throw Json::other_error::create(500, fmt::format("'{}' is out of its range", what), nullptr);
  return static_cast<Number>(json.template get<uint64_t>());
}

// The same for a member of an object.
template <std::unsigned_integral Number, typename Json>
Number whole_member(const Json& object, const char* key) {
  return whole_number<Number>(object.at(key), key);
}

// A member that is a number of at least 0.
template <typename Json>
double real_member(const Json& object, const char* key) {
  const Json& value = object.at(key);
  if (!value.is_number() || value.template get<double>() < 0)
    throw Json::other_error::create(500, fmt::format("'{}' is out of its range", key), nullptr);
  return value.template get<double>();
}

// Shortens the library's message, which repeats the offending text, however long it is.
inline std::string short_message(const std::exception& error) {
  constexpr size_t kMost = 300;
  std::string message = error.what();
  if (message.size() > kMost) message = message.substr(0, kMost) + "...";
  return message;
}

}  // namespace seekless

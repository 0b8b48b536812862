// Reads values from untrusted JSON.
#pragma once

#include <concepts>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace seekless {

// Reads a number. The library itself would convert 1.5, -1 and true to numbers of any type. Throws
// the library's exception, with `what` in its message.
template <std::unsigned_integral Number, typename Json>
Number whole_number(const Json& json, const char* what) {
  if (!json.is_number_unsigned() ||
      json.template get<uint64_t>() > std::numeric_limits<Number>::max())
    throw Json::other_error::create(500, fmt::format("'{}' is out of its range", what), nullptr);
  return static_cast<Number>(json.template get<uint64_t>());
}

// Reads a member of an object in the same way.
template <std::unsigned_integral Number, typename Json>
Number whole_member(const Json& object, const char* key) {
  return whole_number<Number>(object.at(key), key);
}

// Reads a member that is a number of at least 0.
template <typename Json>
double real_member(const Json& object, const char* key) {
  const Json& value = object.at(key);
  if (!value.is_number() || value.template get<double>() < 0)
    throw Json::other_error::create(500, fmt::format("'{}' is out of its range", key), nullptr);
  return value.template get<double>();
}

// Shortens the library's message, which quotes the faulty text in full, however long it is.
inline std::string short_message(const std::exception& error) {
  constexpr size_t kMost = 300;
  std::string message = error.what();
  if (message.size() > kMost) message = message.substr(0, kMost) + "...";
  return message;
}

}  // namespace seekless

#include "packer/base/json_fields.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/nearest_name.h"

namespace seekless {
namespace {

constexpr size_t kMostShown = 100;  // a message shows at most this many bytes of a key or value

std::string shown(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.dump().substr(0, kMostShown) : value.type_name();
}

bool is_text(const nlohmann::ordered_json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && text.find('\0') == std::string::npos;
}

std::string found_instead_of_text(const nlohmann::ordered_json& value) {
  if (!value.is_string()) return value.type_name();
  return value.get_ref<const std::string&>().empty() ? "an empty one" : "one with a zero byte";
}

}  // namespace

std::string advice_for_key(std::string_view key, std::span<const std::string_view> known) {
  if (const auto nearest = nearest_name(key, known))
    return fmt::format("do you mean '{}'?", *nearest);
  return fmt::format("known are {}", fmt::join(known, ", "));
}

std::string JsonFields::place_of(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + ", " + key;
}

std::unexpected<Error> JsonFields::wrong(const std::string& place, const std::string& expected,
                                         const std::string& found) const {
  return wrong_usage({.file = file_, .place = place, .expected = expected, .found = found});
}

Result<void> JsonFields::check_keys(const Json& json, const std::string& place,
                                    std::span<const std::string_view> known) const {
  if (!json.is_object()) return wrong(place, "an object", json.type_name());
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(known, key) == known.end())
      return wrong_usage({.file = file_,
                          .place = place,
                          .expected = "keys that are known",
                          .found = fmt::format("'{}'", key.substr(0, kMostShown)),
                          .advice = advice_for_key(key, known)});
  return {};
}

Result<std::optional<bool>> JsonFields::flag(const Json& object, const std::string& place,
                                             const std::string& key) const {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (!value.is_boolean()) return wrong(place_of(place, key), "true or false", shown(value));
  return value.get<bool>();
}

Result<std::optional<double>> JsonFields::number(const Json& object, const std::string& place,
                                                 const std::string& key) const {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (!value.is_number()) return wrong(place_of(place, key), "a number", shown(value));
  return value.get<double>();
}

Result<std::optional<uint64_t>> JsonFields::whole_number(const Json& object,
                                                         const std::string& place,
                                                         const std::string& key) const {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (!value.is_number_unsigned())
    return wrong(place_of(place, key), "a whole number of 0 or more", shown(value));
  return value.get<uint64_t>();
}

Result<std::optional<std::string>> JsonFields::text(const Json& object, const std::string& place,
                                                    const std::string& key) const {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (!is_text(value)) return wrong(place_of(place, key), "a text", found_instead_of_text(value));
  return value.get<std::string>();
}

Result<std::vector<std::string>> JsonFields::texts(const Json& object, const std::string& place,
                                                   const std::string& key) const {
  std::vector<std::string> texts;
  if (!object.contains(key)) return texts;
  const Json& list = object[key];
  if (!list.is_array()) return wrong(place_of(place, key), "a list of texts", shown(list));
  for (const Json& value : list) {
    if (!is_text(value))
      return wrong(fmt::format("{}, number {}", place_of(place, key), texts.size() + 1), "a text",
                   found_instead_of_text(value));
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

}  // namespace seekless

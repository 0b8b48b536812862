// Limits how deeply values are nested in JSON from outside. Copying and printing a value recurse
// once for each level, and so does adding it to an object.
#pragma once

#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace seekless {

// Our own files have ten levels at most.
inline constexpr int kDeepestJson = 64;

// The library's parser calls this at each event. Throws Json::exception.
template <typename Json>
void check_json_depth(int depth, typename Json::parse_event_t event) {
  using Met = typename Json::parse_event_t;
  if (depth >= kDeepestJson && (event == Met::array_start || event == Met::object_start))
    throw Json::other_error::create(
        500, fmt::format("expected at most {} brackets in each other", kDeepestJson), nullptr);
}

// Checks the text itself, which is much faster than checking at each event of the parser. Brackets
// in strings don't count.
inline bool is_deep_json(std::string_view text) {
  int depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_in_string = !is_in_string;
    if (is_in_string && c == '\\') ++i;
    if (is_in_string) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepestJson) return true;
  }
  return false;
}

// Parses JSON as Json::parse does, but refuses values nested too deeply. Throws Json::exception.
template <typename Json>
Json parse_json(std::string_view text) {
  if (is_deep_json(text)) check_json_depth<Json>(kDeepestJson, Json::parse_event_t::array_start);
  return Json::parse(text);
}

// Parses JSON without exceptions; returns a discarded value if the text isn't JSON.
template <typename Json>
Json parse_json_if_any(std::string_view text) {
  if (is_deep_json(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

// Compiled once, in json_depth.cpp, because the library's parser takes seconds to compile.
extern template nlohmann::ordered_json parse_json(std::string_view text);
extern template nlohmann::ordered_json parse_json_if_any(std::string_view text);

}  // namespace seekless

// Reads fields of a JSON file that a person wrote: checks the type of each, and refuses an unknown
// key, suggesting the one that is probably meant. Errors are of kind `usage`, and name file, key,
// what was expected and what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "packer/base/error.h"

namespace seekless {

class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  // `file` is for messages, and must outlive this object.
  explicit JsonFields(const std::string& file) : file_(file) {}

  std::unexpected<Error> wrong(const std::string& place, const std::string& expected,
                               const std::string& found) const;

  // Checks that `json` is an object with only known keys; `place` is "" for the whole file.
  Result<void> check_keys(const Json& json, const std::string& place,
                          std::span<const std::string_view> known) const;

  // Each of these functions returns nothing if `object` doesn't have the key.
  Result<std::optional<bool>> flag(const Json& object, const std::string& place,
                                   const std::string& key) const;
  Result<std::optional<double>> number(const Json& object, const std::string& place,
                                       const std::string& key) const;
  Result<std::optional<uint64_t>> whole_number(const Json& object, const std::string& place,
                                               const std::string& key) const;
  // Reads a text that is neither empty nor contains a zero byte.
  Result<std::optional<std::string>> text(const Json& object, const std::string& place,
                                          const std::string& key) const;
  // Reads a list of such texts; returns an empty list if there is none.
  Result<std::vector<std::string>> texts(const Json& object, const std::string& place,
                                         const std::string& key) const;

  // Joins a place and a key to a text such as "outputs, packs, folder".
  static std::string place_of(const std::string& place, const std::string& key);

 private:
  const std::string& file_;
};

// Returns advice on an unknown key: "do you mean 'budget'?", or a list of all keys in `known`.
std::string advice_for_key(std::string_view key, std::span<const std::string_view> known);

}  // namespace seekless

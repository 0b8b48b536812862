// Hashes values in order, so that a later build can tell whether any has changed.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "packer/base/hasher.h"

namespace seekless {

class Fingerprint {
 public:
  template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void add(T value) {
    add_value(hasher_, value);
  }
  void add(std::string_view text) { add_sized_text(hasher_, text); }

  uint64_t value() const { return hasher_.digest(); }

 private:
  Hasher64 hasher_;
};

}  // namespace seekless

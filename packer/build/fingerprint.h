// A number for everything that is put into it, in this order: to see whether it is as it was.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace seekless {

class Fingerprint {
 public:
  Fingerprint() { XXH3_64bits_reset(&state_); }

  template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void add(T value) {
    XXH3_64bits_update(&state_, &value, sizeof(value));
  }
  // With its length, so that no two texts run into each other.
  void add(std::string_view text) {
    add(static_cast<uint64_t>(text.size()));
    XXH3_64bits_update(&state_, text.data(), text.size());
  }

  uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace seekless

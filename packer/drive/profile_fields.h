// Lists the figures of a profile, one row each, with the key in JSON, the range, and the member.
// Reading, writing and checking use these rows, so a new figure is one more row here (and one in
// the schema).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "packer/drive/profile.h"

namespace seekless {

template <typename Hardware>
struct ProfileField {
  std::string_view key;
  std::variant<double Hardware::*, uint64_t Hardware::*> member;
  double minimum;
  double maximum;               // below 2^53, so that whole numbers are exact in JSON, too
  bool may_be_missing = false;  // if missing, keeps the default of Hardware
};

// Returns the rows of one kind of hardware. Defined for HardDisk and SolidState.
template <typename Hardware>
std::span<const ProfileField<Hardware>> profile_fields();

inline constexpr std::string_view kHardDiskKind = "disk";
inline constexpr std::string_view kSolidStateKind = "ssd";
inline constexpr std::string_view kNameRule =
    "1 to 64 letters, digits, spaces, '.', '_' or '-', the first a letter or digit";

bool is_profile_name(std::string_view name);

// Returns a text such as "a whole number from 0 to 1073741824".
template <typename Hardware>
std::string range_of(const ProfileField<Hardware>& field);

template <typename Hardware>
bool takes_whole_numbers(const ProfileField<Hardware>& field) {
  return std::holds_alternative<uint64_t Hardware::*>(field.member);
}

template <typename Hardware>
double get_field(const Hardware& hardware, const ProfileField<Hardware>& field) {
  return std::visit([&](auto member) { return static_cast<double>(hardware.*member); },
                    field.member);
}

}  // namespace seekless

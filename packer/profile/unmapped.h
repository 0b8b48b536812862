// Tells users about reads outside the content: how many bytes they are, without files that any
// program reads, and what the reason probably is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "packer/content/content.h"
#include "packer/profile/profile_builder.h"

namespace seekless {

// Names the largest three files with their bytes. Names files of the system only if there are no
// others.
std::string examples_of_unmapped(const Mapping& mapping);

// Returns true for files that any program reads, whatever its content: shared libraries, drivers
// and their caches, settings, fonts, locales, devices.
bool is_of_the_system(std::string_view path);
// If a smaller share of the bytes is mapped, a trace and the content hardly belong together.
inline constexpr double kLeastMappedShare = 0.9;
// Returns the share of the bytes read that is mapped, 0 to 1, ignoring files of the system.
double share_without_system(const Mapping& mapping);

struct FittingMap {
  std::string from;
  std::string to;
};
// Returns the --map rule that would map most of the unmapped bytes, if the content has files with
// the same names.
std::optional<FittingMap> fitting_map(const Mapping& mapping, const Content& content);

// Returns advice, including a --map rule if one would fit.
std::string advice_for_unmapped(const Mapping& mapping, const Content& content);

}  // namespace seekless

// What to tell a person of reads that aren't of the content: how much they are without those that
// any program makes, and what is likely the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "packer/content/content.h"
#include "packer/profile/profile_builder.h"

namespace seekless {

// The largest three, with their bytes; those of the system only if there is no other.
std::string examples_of_unmapped(const Mapping& mapping);

// Whether any program reads such files, whatever its content: shared libraries, drivers and their
// caches, settings, fonts, locales, devices.
bool is_of_the_system(std::string_view path);
// Below this share of mapped bytes a trace and the content hardly belong together.
inline constexpr double kLeastMappedShare = 0.9;
// The share of the bytes read that is mapped, 0 to 1, files of the system aside.
double share_without_system(const Mapping& mapping);

struct FittingMap {
  std::string from;
  std::string to;
};
// The --map that would fit most of what isn't mapped, if files of the content have the names of
// such.
std::optional<FittingMap> fitting_map(const Mapping& mapping, const Content& content);

// What to do: the --map that would fit, if there is one.
std::string advice_for_unmapped(const Mapping& mapping, const Content& content);

}  // namespace seekless

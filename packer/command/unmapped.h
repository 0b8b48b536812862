// What to tell a person of reads that aren't of the content: how much they are without those that
// any program makes, and what is likely the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "packer/content/content.h"
#include "packer/profile/profile_builder.h"

namespace seekless {

// The path without line ends, so that none makes lines of its own in an answer.
std::string in_one_line(std::string path);
// The largest three, with their bytes; those of the system only if there is no other.
std::string examples_of_unmapped(const Mapping& mapping);

// Whether any program reads such files, whatever its content: shared libraries, drivers and their
// caches, settings, fonts, locales, devices.
bool is_of_the_system(std::string_view path);
// The share of the bytes read that is mapped, 0 to 1, files of the system aside.
double share_without_system(const Mapping& mapping);

// What to do: the --map that would fit, if a file of the content has the name of one that isn't
// mapped.
std::string advice_for_unmapped(const Mapping& mapping, const Content& content);

}  // namespace seekless

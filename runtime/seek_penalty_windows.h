// Asks Windows whether a volume's drive is rotational.
#pragma once

#include <optional>
#include <string>

namespace seekless::runtime {

// Returns true if the volume's device is rotational, or none if it doesn't say. `volume` is its
// root, such as "\\?\Volume{GUID}\". Needs no privileges, because nothing is read.
std::optional<bool> has_seek_penalty(std::wstring volume);

}  // namespace seekless::runtime

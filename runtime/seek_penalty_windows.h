// Asks Windows about the drive below a volume.
#pragma once

#include <optional>
#include <string>

namespace seekless::runtime {

// Returns true if the volume's device has heads to move, or none if the device doesn't say.
// `volume` is its root, such as "\\?\Volume{GUID}\". Needs no rights, because nothing is read from
// it.
std::optional<bool> has_seek_penalty(std::wstring volume);

}  // namespace seekless::runtime

// What Windows says of the drive below a volume.
#pragma once

#include <optional>
#include <string>

namespace seekless::runtime {

// Whether the volume's device has heads to move; none: it doesn't say. `volume` is its root, as
// "\\?\Volume{GUID}\". Needs no rights, since nothing is read of it.
std::optional<bool> has_seek_penalty(std::wstring volume);

}  // namespace seekless::runtime

// Names that Windows doesn't give to files, though packs and zips hold them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// Why Windows would open something else, or nothing, by this path below a folder, with '/':
// "'aux.txt', which names a device". Empty if each of its parts can be a file's name.
std::string windows_name_fault(std::string_view path);

}  // namespace seekless

// Asks the system for the numbers under which it keeps the files of a folder, which on most file
// systems is their order on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace seekless {

// Returns the numbers of the folder's entries by name, of at most `most`. It is empty if the folder
// can't be listed.
std::unordered_map<std::string, uint64_t> inodes_in(const std::string& folder, size_t most);

// Makes the system read the file's metadata: all that it stores of the file besides its content.
void read_inode(const std::string& path);

}  // namespace seekless

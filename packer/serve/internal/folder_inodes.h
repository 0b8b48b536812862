// Asks the system for the inode numbers of a folder's files. On most file systems, they follow the
// files' order on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace seekless {

// Returns the inode numbers of at most `most` of the folder's entries, by name. Empty if the folder
// can't be listed.
std::unordered_map<std::string, uint64_t> inodes_in(const std::string& folder, size_t most);

// Makes the system read the file's metadata: all that it stores of the file besides its content.
void read_inode(const std::string& path);

}  // namespace seekless

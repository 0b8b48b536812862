// Hashes what a build depends on besides its inputs: the program, and the drive it is planned for.
#pragma once

#include <cstdint>
#include <string_view>

#include "packer/base/error.h"
#include "packer/project/build_file.h"

namespace seekless {

// Hashes the bytes of the program itself, since two executables of one version may decide
// differently. The same sources give the same executable. It also hashes the drive that the build
// file names. Takes some milliseconds.
Result<uint64_t> fingerprint_of_build(const BuildFile& file, std::string_view version);

}  // namespace seekless

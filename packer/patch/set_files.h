// Lists the files of a pack set, or a single pack, for patches: names, sizes, bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "runtime/pack_format.h"

namespace seekless {

struct SetFile {
  std::string name;  // name in the set's folder
  std::string path;  // a path that can be opened
  uint64_t size_bytes = 0;
  uint64_t id = 0;  // the header's checksum, which covers the whole file
};

struct SetFiles {
  std::string path;  // as the user wrote it
  bool is_single = false;
  uint64_t id = 0;             // id of the catalog, or of the single pack
  std::vector<SetFile> files;  // the catalog is the last one
};

// Returns the files that the catalog of a folder names, and the catalog itself; or one pack. Their
// headers have been checked against the catalog. Fails for anything but a pack set, and for a set
// that is half-updated.
Result<SetFiles> open_set_files(const std::string& path);

// Fails if another set has replaced this one since it was opened. Call this before using the read
// data, or calling it damaged.
Result<void> check_same_set(const SetFiles& set);

// Returns true if a pack set can have a file with this name; a patch writes no other files.
bool is_set_file_name(std::string_view name);

// Returns the id as `info` prints it: "0123456789abcdef".
std::string id_text(uint64_t id);

}  // namespace seekless

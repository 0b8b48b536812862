// The files of a pack set, or a single pack, as patches see them: names, sizes, bytes.
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
  std::string name;  // in the set's folder
  std::string path;  // can be opened
  uint64_t size_bytes = 0;
  uint64_t id = 0;  // its header's checksum, which covers all of it
};

struct SetFiles {
  std::string path;  // as the user wrote it
  bool is_single = false;
  uint64_t id = 0;             // of the catalog, or of the single pack
  std::vector<SetFile> files;  // the catalog is the last
};

// The files that the catalog of a folder names, and itself; or one pack. Their headers are read and
// fit the catalog. Errors: what isn't a pack set, or one that an update left halfway.
Result<SetFiles> open_set_files(const std::string& path);

// Fails if another set was put in its place since. To be asked before anything is made of what was
// read, or is called damaged.
Result<void> check_same_set(const SetFiles& set);

// Whether a pack set can have a file of this name: so a patch writes nothing else.
bool is_set_file_name(std::string_view name);

// "0123456789abcdef", as `info` prints it.
std::string id_text(uint64_t id);

}  // namespace seekless

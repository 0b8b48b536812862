// Sets: archives whose directory is one file and whose data lie in other files beside it, their
// parts. Code for sets of any format knows them by this interface. Each format has its own source:
// vpk_set.h, iostore_set.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// A file beside the directory that has the name of a part.
struct PartOfSet {
  uint32_t number = 0;
  std::string path;
  uint64_t size_bytes = 0;
  uint32_t first_entry = 0;  // index in ListedSet::entries
  uint32_t entry_count = 0;
  bool is_named = false;  // the directory names it
};

struct EntryOfSet {
  std::string name;
  uint64_t offset_bytes = 0;  // in its part
  uint64_t size_bytes = 0;
};

struct ListedSet {
  std::string_view format;  // "Valve's VPK"
  std::vector<PartOfSet> parts;
  std::vector<EntryOfSet> entries;  // part by part
  uint32_t alignment_bytes = 1;     // data in parts begin at multiples of this power of two
  std::string obstacle;             // says why the set must stay as it is; empty if it can change
};

// Returns nothing if the file `directory` isn't the directory of a set. `path` is its place, beside
// its parts; the bytes may come from elsewhere. Reads no part. Fails with kind `failed` if
// something can't be read.
Result<std::optional<ListedSet>> read_set(const ByteSource& directory, const std::string& path);

// Returns true unless the directory, which lies at `path` or did, is certain not to name the part.
bool may_name_part(const ByteSource& directory, const std::string& path, const std::string& part);

// Returns true if the directory `now` was made from `kept`: it differs only in places, which lie in
// parts that `kept` doesn't name.
Result<bool> is_made_from(const ByteSource& now, const ByteSource& kept, const std::string& path);

}  // namespace seekless

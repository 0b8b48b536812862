// Sets: archives whose directory is one file and whose data lie in other files beside it, their
// parts. Code for sets of any format knows them by this interface. Each format has its own source:
// vpk_set.h, iostore_set.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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

// Says whether all data that a directory names are there.
enum class FitOfParts : uint8_t {
  misfits,  // some aren't, or the directory is damaged
  fits,
  unknown,  // the directory is of a kind that isn't understood
};

struct ListedSet {
  std::string_view format;  // "Valve's VPK"
  std::vector<PartOfSet> parts;
  std::vector<EntryOfSet> entries;  // part by part
  uint32_t alignment_bytes = 1;     // data in parts begin at multiples of this power of two
  std::string obstacle;             // says why the set must stay as it is; empty if it can change
  FitOfParts fit = FitOfParts::misfits;
};

// Returns nothing if the file `directory` isn't the directory of a set. `path` is its place, beside
// its parts; the bytes may come from elsewhere. Reads no part. Fails with kind `failed` if
// something can't be read.
Result<std::optional<ListedSet>> read_set(const ByteSource& directory, const std::string& path);

// Knows parts by their names, whatever is in them. Lists each folder once.
class PartsByName {
 public:
  // Returns true if the file has the name of a part of a set whose directory lies beside it.
  bool contains(const std::string& path);

 private:
  // Folded names by folder; nothing for one that can't be listed.
  std::map<std::string, std::optional<std::set<std::string>>> directories_;
};

// Returns the names of the parts that the directory needs, which lies at `path` or did; nothing if
// it can't be read.
std::optional<std::set<std::string>> named_parts(const ByteSource& directory,
                                                 const std::string& path);

// Says what the directory of a set in place is to a kept one.
enum class StateOfSet : uint8_t {
  original,  // somebody has put the original back, such as a launcher
  ours,      // differs only in places, which lie in parts that the original doesn't name
  update,    // comes with other parts, which the original doesn't fit
};

// `path` is where both directories are or were.
Result<StateOfSet> compare_with_kept(const ByteSource& now, const ByteSource& kept,
                                     const std::string& path);

}  // namespace seekless

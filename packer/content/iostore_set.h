// Reads the containers of Unreal Engine's IoStore: a directory (pak.utoc) and the files beside it
// with the data (pak.ucas, pak_s1.ucas, pak_s2.ucas, ...), here called parts. Makes the directory
// that names other places of data. iostore_set.cpp describes the format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/archive_sets.h"
#include "packer/host/files.h"

namespace seekless {

inline constexpr uint32_t kIoStoreAlignmentBytes = 16;  // engines decrypt units of this size
inline constexpr uint64_t kIoStoreDistanceUnitBytes = uint64_t{1} << 16;  // of parts that we add
inline constexpr uint32_t kMostIoStoreParts = 4096;  // each is a file that engines keep open
inline constexpr uint64_t kMostIoStoreOffset = (uint64_t{1} << 40) - 1;

// A piece of a chunk's data, compressed and encrypted by itself.
struct IoStoreBlock {
  uint32_t part = 0;
  uint64_t offset_bytes = 0;  // in the part
  uint32_t size_bytes = 0;    // without padding

  bool operator==(const IoStoreBlock&) const = default;
};

// Engines ask for a chunk by its identifier.
struct IoStoreChunk {
  uint32_t first_block = 0;  // index in IoStoreToc::blocks
  uint32_t block_count = 0;
};

struct IoStoreToc {
  std::vector<IoStoreChunk> chunks;  // in the directory's order
  std::vector<IoStoreBlock> blocks;
  // True for blocks that must stay where they are. Engines may map their chunk into memory, and
  // older ones then take a block's place for an offset in the first part.
  std::vector<bool> is_fixed;
  uint32_t part_count = 0;
  uint64_t part_bytes = 0;       // distance of the parts in the address space of all parts
  uint64_t blocks_at_bytes = 0;  // offset of the table of blocks
  uint64_t hash = 0;             // XXH3-64 of everything but the places of blocks
  std::string obstacle;          // says why the container must stay as it is
  bool is_damaged = false;       // the obstacle is that something that it names isn't there
};

// Blocks of one chunk that lie one after the other in a part. Usually these are all of them.
struct IoStoreRun {
  std::string name;
  uint32_t first_block = 0;
  uint32_t block_count = 0;
  uint32_t part = 0;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct IoStoreSet {
  IoStoreToc toc;
  std::vector<IoStoreRun> runs;  // part by part; without blocks that must stay
  // Files with the names of parts, sorted by number. The first ones are those of the directory;
  // more may lie there that it doesn't name.
  std::vector<PartOfSet> parts;
  // Numbers from the directory's next one on that something beside it has, be it a folder; sorted.
  std::vector<uint32_t> taken;
  FitOfParts fit = FitOfParts::misfits;

  const std::string& obstacle() const { return toc.obstacle; }
};

// Reads only the first bytes.
Result<bool> is_iostore_directory(const ByteSource& directory);

// Returns nothing if the file isn't the directory of a container.
Result<std::optional<IoStoreToc>> read_iostore_toc(const ByteSource& directory);

// Returns nothing if the file `directory` isn't the directory of a container. `path` is its place,
// beside its parts; the bytes may come from elsewhere. Reads no part, and uses memory in proportion
// to the directory. Fails with kind `failed` if something can't be read.
Result<std::optional<IoStoreSet>> read_iostore_set(const ByteSource& directory,
                                                   const std::string& path);

bool has_name_of_iostore_set(std::string_view path);

// Returns the paths of the directories that a part may belong to by its name: a/pak_s1.utoc and
// a/pak.utoc for a/pak_s1.ucas; none if it doesn't have the name of a part.
std::vector<std::string> iostore_directories_of(std::string_view part_path);

// Returns the path of a part beside the directory `path`.
std::string iostore_part_path(const std::string& path, uint32_t number);

// Returns the new directory up to the end of its table of blocks; what follows stays as it is.
// `blocks` have their new places.
Result<std::string> new_iostore_front(const ByteSource& directory, const IoStoreToc& toc,
                                      std::span<const IoStoreBlock> blocks, uint32_t part_count,
                                      uint64_t part_bytes);

}  // namespace seekless

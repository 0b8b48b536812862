// Reads a set of Valve's VPKs: a directory (pak01_dir.vpk) and the files beside it with the data of
// its entries (pak01_000.vpk, pak01_001.vpk, ...), here called parts. Makes the directory that
// names other places of data. valve_vpk.cpp describes the format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/checksum_of_format.h"
#include "packer/base/error.h"
#include "packer/content/flat_archive.h"
#include "packer/host/files.h"

namespace seekless {

// A part has a number up to this one; 0x7FFF stands for the directory's own file.
inline constexpr uint16_t kMostVpkPart = 0x7FFE;

struct VpkHeader {
  uint32_t version = 0;
  uint64_t header_bytes = 0;
  uint64_t tree_bytes = 0;
  uint64_t data_bytes = 0;      // only version 2
  uint64_t checksum_bytes = 0;  // length of the checksums of pieces of the data
  uint64_t other_checksum_bytes = 0;
  uint64_t signature_bytes = 0;

  uint64_t base_bytes() const { return header_bytes + tree_bytes; }
};

// An entry as the tree describes it.
struct VpkRecord {
  std::string path;
  uint64_t at_bytes = 0;  // offset of the record's fields
  uint32_t crc32 = 0;     // of the first bytes and the data
  uint16_t first_bytes = 0;
  uint16_t file = 0;  // number of the part
  uint32_t offset_bytes = 0;
  uint32_t size_bytes = 0;

  bool is_in_part() const { return file <= kMostVpkPart && size_bytes > 0; }
};

// The MD5 of a piece of a part, as directories of version 2 may list them.
struct VpkPieceSum {
  uint16_t part = 0;
  uint32_t offset_bytes = 0;
  uint32_t length_bytes = 0;
  Md5 md5 = {};
};

struct VpkSet {
  VpkHeader header;
  std::vector<VpkRecord> records;  // in the tree's order
  // Indices in `records` of entries with data in parts: part by part, in the tree's order.
  std::vector<uint32_t> entries;
  // Sorted by number. A part is named for entries, or for checksums of its pieces.
  std::vector<PartOfSet> parts;
  // Numbers that no new part can get, sorted: something beside the directory, be it a folder, has
  // the name already. Engines on Windows see no difference between capitals and small letters.
  std::vector<uint16_t> taken;
  std::vector<VpkPieceSum> sums;  // sorted by part and offset; empty if there are none
  uint32_t piece_bytes = 0;       // length of the pieces that have checksums; 0 if none have
  uint32_t alignment_bytes = 1;   // data in parts begin at multiples of this power of two
  uint64_t data_end_bytes = 0;    // end of the data in the directory's own file
  std::string obstacle;           // says why the set must stay as it is; empty if it can change
  bool is_tree_read = false;      // false if the obstacle is that the tree can't be read
  FitOfParts fit = FitOfParts::misfits;

  const VpkRecord& entry(size_t number) const { return records[entries[number]]; }
};

// Returns nothing if the file `directory` isn't the directory of a set. `path` is its place, beside
// its parts; the bytes may come from elsewhere. Reads no part, and uses memory in proportion to the
// tree. Fails with kind `failed` if something can't be read.
Result<std::optional<VpkSet>> read_vpk_set(const ByteSource& directory, const std::string& path);

bool has_name_of_vpk_set(std::string_view path);

// Returns the path of the directory that a part belongs to by its name: a/pak01_dir.vpk for
// a/pak01_000.vpk; empty if it doesn't have the name of a part.
std::string vpk_directory_of(const std::string& part_path);

// Returns the path of a part beside the directory `path`.
std::string vpk_part_path(const std::string& path, uint32_t number);

// Returns true if both directories list the same files, wherever their data lie.
bool have_same_files(const VpkSet& a, const VpkSet& b);

// Returns the first bytes of an entry, which the tree holds. The data in the part follow them.
Result<std::string> first_bytes_of(const ByteSource& directory, const VpkRecord& record);

struct VpkPlace {
  uint16_t part = 0;
  uint32_t offset_bytes = 0;
};

// Fails with kind `damaged` if the directory's checksums don't match it. New ones would hide that.
Result<void> check_vpk_directory(const ByteSource& directory, const VpkSet& set);

// Lists what changes in a directory.
struct VpkChanges {
  std::map<uint32_t, VpkPlace> places = {};  // new places of entries, by index in VpkSet::entries
  std::vector<VpkPieceSum> sums = {};        // are added to the checksums of pieces
  std::vector<uint32_t> gone = {};           // parts whose pieces have no checksums any more
};

// Returns what lies before and after the data in the new directory's own file. Everything that
// doesn't change stays as it is.
Result<FlatAround> new_vpk_directory(const ByteSource& directory, const VpkSet& set,
                                     const VpkChanges& changes);

}  // namespace seekless

// Finds where the data of an archive's entries lie. Checks that the whole archive is understood, so
// that it can be rebuilt: every byte must belong to an entry, to the directory or to the bytes
// before the first entry. Reads the local headers, in the order of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/zip_directory.h"
#include "packer/entries/data_alignment.h"
#include "packer/host/files.h"

namespace seekless {

struct OldArchive {
  // Maps each entry to the offset of its data.
  std::vector<uint64_t> data_offset_bytes;
  std::vector<uint16_t> local_extra_bytes;  // size of the extra field right before the data
  // Lists the entries in the order in which their data lie.
  std::vector<uint32_t> by_place;
  uint64_t prefix_bytes = 0;   // bytes before the first entry
  size_t first_entries = 0;    // this many of `by_place` stay at the front
  std::vector<bool> is_first;  // indexed by entry: true if it stays at the front
  KeptAlignment alignment;
  bool is_fetched = false;  // the whole archive was brought into the page cache
  // Tells why the archive must stay as it is; empty if it can be rewritten.
  std::string obstacle;
};

// Returns the reason why the archive must stay as it is, as far as the directory or the bytes right
// before it show one; empty if there is none.
Result<std::string> directory_obstacle(const ByteSource& source, const ZipDirectory& directory);

// Fails with kind `damaged` for a local header that contradicts the directory, and with the errors
// of read_local_header.
Result<OldArchive> survey_archive(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory);

// Finds the data of some entries only, without checking the bytes between them. The result has no
// obstacle and no prefix, and `by_place` holds only these entries.
Result<OldArchive> survey_entries(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory, std::vector<uint32_t> entries);

// Returns true if an entry can be copied into another archive. It can't if its encryption depends
// on its place, or if it is a patch to other data.
bool is_movable(const ZipEntry& entry);

// Returns the extra field in the local header of an entry.
Result<std::string> local_extra(const ByteSource& source, const OldArchive& archive, size_t entry);

}  // namespace seekless

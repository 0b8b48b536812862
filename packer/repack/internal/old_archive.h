// Where the data of an archive's entries lie, and whether all of the archive is understood, so that
// it can be put together anew: every byte of it belongs to an entry, to the directory or to what
// stands before the first entry. Reads the local headers, in the order of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/repack/internal/data_alignment.h"

namespace seekless {

struct OldArchive {
  // By entry.
  std::vector<uint64_t> data_offset_bytes;
  std::vector<uint16_t> local_extra_bytes;  // of the field right before the data
  // The entries in the order in which their data lie.
  std::vector<uint32_t> by_place;
  uint64_t prefix_bytes = 0;   // before the first entry
  size_t first_entries = 0;    // so many of `by_place` stay at the front
  std::vector<bool> is_first;  // by entry: whether it is one of them
  KeptAlignment alignment;
  // Why the archive has to stay as it is; empty if it can be rewritten.
  std::string obstacle;
};

// What shows in the directory, or right before it: why the archive has to stay as it is; empty if
// nothing does.
Result<std::string> directory_obstacle(const ByteSource& source, const ZipDirectory& directory);

// Errors of kind damaged: a local header that contradicts the directory, and what
// read_local_header finds.
Result<OldArchive> survey_archive(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory);

// The same for some entries alone, whatever lies around them; it has no obstacle, no prefix, and
// `by_place` holds these entries.
Result<OldArchive> survey_entries(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory, std::vector<uint32_t> entries);

// Whether an entry can be copied into another archive: not if it is encrypted together with its
// place, or a patch to other data.
bool is_movable(const ZipEntry& entry);

// The extra field in the local header of an entry.
Result<std::string> local_extra(const ByteSource& source, const OldArchive& archive, size_t entry);

}  // namespace seekless

// Implements how an asset's bytes are read: as they lie in a file or an archive, or inflated. Only
// asset_reader.cpp uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/asset_reader.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"

namespace seekless {

// Appended to every message about content that a scan found otherwise.
inline constexpr const char* kContentChanged =
    "the content changed since the layout was made; plan again";

// The data of an entry whose local header has been checked.
struct EntryData {
  std::shared_ptr<const ByteSource> archive;
  std::string place;  // for messages
  uint64_t offset_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t size_bytes = 0;
  uint32_t crc32 = 0;
  uint16_t method = 0;
  std::vector<std::byte> lead;  // the first stored bytes, which were read with the header
};

// Reads the header and, for a small entry, all of its data, in one read.
Result<EntryData> read_local_header(std::shared_ptr<const ByteSource> archive,
                                    const ZipEntry& entry);

// `data.method` must be stored or deflated.
std::unique_ptr<AssetStream> make_entry_stream(EntryData data);

Result<std::unique_ptr<AssetStream>> open_loose_stream(const std::string& path,
                                                       uint64_t size_bytes);

}  // namespace seekless

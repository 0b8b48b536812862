// Implements reading an asset's bytes, stored or deflated, from a file or an archive. Only
// asset_reader.cpp uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/checksum_of_format.h"
#include "packer/base/error.h"
#include "packer/content/asset_reader.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"

namespace seekless {

// Ends every message about content that differs from its scan.
inline constexpr const char* kContentChanged =
    "the content changed since the layout was made; plan again";

// Describes the data of an entry whose local header has been checked.
struct EntryData {
  std::shared_ptr<const ByteSource> archive;
  std::string place;  // for messages
  uint64_t offset_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t size_bytes = 0;
  std::optional<uint32_t> crc32 = {};  // none if the archive has none
  std::optional<Md5> md5 = {};         // the same
  uint16_t method = 0;
  std::vector<std::byte> lead = {};  // the first stored bytes, which were read with the header
};

// Reads the header in one read, and with it all data of a small entry.
Result<EntryData> read_local_header(std::shared_ptr<const ByteSource> archive,
                                    const ZipEntry& entry);

// `data.method` must be stored or deflated.
std::unique_ptr<AssetStream> make_entry_stream(EntryData data);

Result<std::unique_ptr<AssetStream>> open_loose_stream(const std::string& path,
                                                       uint64_t size_bytes);

}  // namespace seekless

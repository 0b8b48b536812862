// The bytes of assets, front to back, out of archives and loose files, unpacked and checked. The
// sources may have been scanned by an earlier run and named in a layout: what has changed since
// then is an error. Bytes go to the packs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"

namespace seekless {

// What is known of an asset before it is opened.
struct AssetRef {
  std::string_view path;
  uint32_t source = 0;
  uint32_t entry = kWholeSource;
  uint64_t size_bytes = 0;
  uint32_t crc32 = 0;  // not looked at for a whole file
};

inline AssetRef ref_of(const Asset& asset) {
  return {asset.path, asset.place.source, asset.place.entry, asset.place.size_bytes,
          asset.place.crc32};
}

// One asset, for one thread at a time. Needs at most 8 MiB beside the caller's buffer.
class AssetStream {
 public:
  virtual ~AssetStream() = default;
  // Returns how many bytes it put at the front of `into`, 0 only at the end or if `into` is empty.
  // The call that delivers the last byte has checked size and CRC-32; an asset of no bytes is
  // checked by the first call. Errors of kind damaged: the data don't match; failed: the file
  // can't be read or isn't as it was. After an error the stream is of no use.
  virtual Result<size_t> read(std::span<std::byte> into) = 0;
};

// Fills `into`, which is as long as the asset, from a stream that wasn't read yet.
Result<void> read_whole(AssetStream& stream, std::span<std::byte> into);

// Opens assets of `sources`, which must outlive it; safe from any thread. Must outlive its streams.
// Each archive is opened when it is first asked for; its directory stays in memory (its bytes and
// 16 more per entry), the descriptors of the most recently used ones stay open.
class ContentReader {
 public:
  explicit ContentReader(std::span<const Source> sources, size_t max_open_archives = 128);
  ContentReader(const ContentReader&) = delete;
  ContentReader& operator=(const ContentReader&) = delete;
  ~ContentReader();

  // Checks that the asset is still what `asset` says, and the entry's local header.
  Result<std::unique_ptr<AssetStream>> open(const AssetRef& asset);
  // How many bytes the asset takes where it lies: as many as it has, unless an archive holds it
  // compressed. Checks the same, but for the local header.
  Result<uint64_t> stored_bytes(const AssetRef& asset);
  // Fails if a source was written since something of it was first asked for: what came of it is a
  // mix of before and after.
  Result<void> check_unchanged() const;

 private:
  struct Archive {
    std::unique_ptr<const ZipDirectory> directory;  // once read it stays and doesn't change
    std::shared_ptr<const ByteSource> bytes;        // null while it isn't open
    uint64_t last_use = 0;
  };
  struct OpenArchive {
    std::shared_ptr<const ByteSource> bytes;
    const ZipDirectory* directory;
  };
  struct FoundEntry {
    std::shared_ptr<const ByteSource> bytes;
    ZipEntry entry;
  };

  Result<OpenArchive> open_archive(uint32_t source);
  void close_least_recent();
  Result<void> check_source(const AssetRef& asset) const;
  Result<void> note_source(uint32_t source);
  Result<FoundEntry> find_entry(const AssetRef& asset);
  Result<std::unique_ptr<AssetStream>> open_entry(const AssetRef& asset);

  const std::span<const Source> sources_;
  const size_t max_open_archives_;
  mutable std::mutex mutex_;             // guards what follows
  std::vector<Archive> archives_;        // grows up to the number of sources that are archives
  std::vector<uint32_t> archive_index_;  // of each source
  std::vector<uint64_t> written_keys_;   // of each source; 0 as long as nobody asked for it
  size_t open_count_ = 0;
  uint64_t uses_ = 0;
};

}  // namespace seekless

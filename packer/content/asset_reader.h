// Reads the bytes of assets, front to back, from archives and loose files. Unpacks and checks them.
// An earlier run may have named the sources in a layout, so a source that has changed since is an
// error. The bytes go to the packs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/checksum_of_format.h"
#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"

namespace seekless {

// Identifies an asset that is to be opened.
struct AssetRef {
  std::string_view path;
  uint32_t source = 0;
  uint32_t entry = kWholeSource;
  uint64_t size_bytes = 0;
  uint32_t crc32 = 0;  // only zips have one
};

inline AssetRef ref_of(const Asset& asset) {
  return {asset.path, asset.place.source, asset.place.entry, asset.place.size_bytes,
          asset.place.crc32};
}

// Reads one asset, on one thread at a time. Needs at most 8 MiB beside the caller's buffer.
class AssetStream {
 public:
  virtual ~AssetStream() = default;
  // Returns how many bytes it put at the front of `into`; 0 only at the end or if `into` is empty.
  // Size and the checksum that an archive has are checked by the call that delivers the last byte;
  // for an empty asset, by the first call. An asset of its own, or of an archive without checksums,
  // has only its size. Fails with kind `damaged` if the data don't match, and with kind `failed` if
  // the file can't be read or has changed. After an error the stream can't be used.
  virtual Result<size_t> read(std::span<std::byte> into) = 0;
};

// Fills `into`, which must be as long as the asset. Nothing may have been read from the stream
// before.
Result<void> read_whole(AssetStream& stream, std::span<std::byte> into);

// Opens assets of `sources`, which must outlive it. Any thread may use it. Must outlive its
// streams. It opens each archive at its first use. The directories stay in memory (a zip's bytes
// and 16 more per entry, otherwise about 60 per entry); only the most recently used archives stay
// open.
class ContentReader {
 public:
  explicit ContentReader(std::span<const Source> sources, size_t max_open_archives = 128);
  ContentReader(const ContentReader&) = delete;
  ContentReader& operator=(const ContentReader&) = delete;
  ~ContentReader();

  // Opens an asset. Checks that it still matches `asset`, and checks its entry's local header.
  Result<std::unique_ptr<AssetStream>> open(const AssetRef& asset);
  // Returns how many bytes the asset takes in its source, which may hold it compressed. Makes the
  // same checks, except for the local header.
  Result<uint64_t> stored_bytes(const AssetRef& asset);
  // Fails if a source was written to since its first use, because reads would mix old and new data.
  Result<void> check_unchanged() const;
  // Returns true if the asset's crc32 is that of its content. Only zips have one.
  bool has_crc32(const AssetRef& asset) const {
    return asset.source < sources_.size() && sources_[asset.source].kind == SourceKind::zip;
  }

 private:
  // Tells where an entry of a flat archive lies. Instead of its name, which begins with the mount
  // point, it keeps a hash of it.
  struct FlatPlace {
    uint64_t offset_bytes;  // offset of the header
    uint64_t size_bytes;    // size of the file
    uint32_t name_bytes;
    uint32_t name_hash;
    uint32_t header_bytes;
    bool is_header_record;
    std::optional<uint32_t> crc32;
    std::optional<Md5> md5;
  };
  struct Archive {
    // Once read, the directory, of one kind or the other, stays in memory and doesn't change.
    std::unique_ptr<const ZipDirectory> directory;
    std::unique_ptr<const std::vector<FlatPlace>> places;
    std::shared_ptr<const ByteSource> bytes;  // null while the archive isn't open
    uint64_t last_use = 0;
  };
  struct OpenArchive {
    std::shared_ptr<const ByteSource> bytes;
    const ZipDirectory* directory;
    const std::vector<FlatPlace>* places;
  };
  struct FoundEntry {
    std::shared_ptr<const ByteSource> bytes;
    ZipEntry entry;
  };

  struct FoundPlace {
    std::shared_ptr<const ByteSource> bytes;
    FlatPlace place;
  };

  Result<OpenArchive> open_archive(uint32_t source);
  static Result<void> read_directory(const Source& source, const ByteSource& bytes,
                                     Archive& archive);
  void close_least_recent();
  Result<void> check_source(const AssetRef& asset) const;
  Result<void> note_source(uint32_t source);
  Result<FoundEntry> find_entry(const AssetRef& asset);
  Result<FoundPlace> find_place(const AssetRef& asset);
  static Result<void> check_header(const FoundPlace& found, std::string_view path,
                                   const std::string& where);
  Result<std::unique_ptr<AssetStream>> open_entry(const AssetRef& asset);
  Result<std::unique_ptr<AssetStream>> open_place(const AssetRef& asset);

  const std::span<const Source> sources_;
  const size_t max_open_archives_;
  mutable std::mutex mutex_;             // guards the members below
  std::vector<Archive> archives_;        // grows up to the number of archives among the sources
  std::vector<uint32_t> archive_index_;  // indexed by source
  std::vector<uint64_t> written_keys_;   // indexed by source; 0 until the source is first used
  size_t open_count_ = 0;
  uint64_t uses_ = 0;
};

}  // namespace seekless

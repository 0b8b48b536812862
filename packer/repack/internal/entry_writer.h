// Writes entries of an old archive into a new one: copied, unpacked or packed. It serves archives
// that are rewritten and archives that are combined from several.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/base/hasher.h"
#include "packer/content/asset_stream.h"
#include "packer/content/zip_directory.h"
#include "packer/entries/data_alignment.h"
#include "packer/entries/storing.h"
#include "packer/host/files.h"
#include "packer/repack/internal/old_archive.h"
#include "packer/repack/internal/sequential_output.h"
#include "packer/repack/internal/zip_writer.h"

namespace seekless {

enum class Compression : uint8_t { keep, store, deflate };

struct CompressionRule {
  std::string glob;  // matches the entry's name
  Compression compression = Compression::keep;
};

struct RewriteOptions {
  DataAlignment alignment = {};
  // Applies to entries that recordings read. All others stay as they are, unless a rule says
  // otherwise.
  Compression compression = Compression::store;
  Storing storing = kStoreAll;  // which of these entries are stored, if `compression` is `store`
  std::vector<CompressionRule> rules = {};  // the last matching rule applies
  // Sorts the directory's records by the order of the data instead of keeping their old order.
  // Entries whose names are equal, or differ only in case, keep their relative order in any case.
  bool sort_directory = false;
};

// Returns the rule for entries that no CompressionRule matches.
inline Storing storing_of(const RewriteOptions& options) {
  return options.compression == Compression::store ? options.storing : kStoreNone;
}

// Returns what happens to an entry's data; `keep` if they don't change.
Compression treatment_of(const ZipEntry& entry, bool is_read, const RewriteOptions& options);

struct WrittenEntries {
  size_t read_entries = 0;
  size_t unpacked_entries = 0;  // entries that were deflated and are stored now
  size_t packed_entries = 0;    // entries that were stored and are deflated now
  size_t aligned_entries = 0;
  // Maps each entry of the old archive to an XXH3-64: of its content if it was packed or unpacked,
  // of its stored data if it was copied.
  std::vector<uint64_t> hashes = {};
};

class EntryWriter {
 public:
  // All arguments must outlive it. `shift_bytes` is subtracted from all offsets written into the
  // new archive. `done_bytes`, which may be null, grows by the data processed.
  EntryWriter(const std::shared_ptr<const ByteSource>& source, const ZipDirectory& directory,
              const OldArchive& old, const RewriteOptions& options, SequentialOutput& output,
              uint64_t shift_bytes, std::atomic<uint64_t>* done_bytes);

  // Writes the bytes before the first entry.
  Result<void> write_prefix();
  Result<void> write_entry(uint32_t index, bool is_read);
  // Appends the directory's record of an entry that was written.
  Result<void> append_record(std::string& records, uint32_t index) const;

  const WrittenEntries& written() const { return counts_; }

 private:
  class HashedStream;

  Result<void> write_header(const ZipEntry& entry, uint32_t index, uint16_t method,
                            uint64_t stored_bytes);
  uint32_t kept_alignment(const ZipEntry& entry, uint32_t index) const;
  Result<void> write_kept(const ZipEntry& entry, uint32_t index);
  Result<void> write_stored(const ZipEntry& entry, uint32_t index);
  Result<void> write_deflated(const ZipEntry& entry, uint32_t index);
  Result<void> write_long_deflated(const ZipEntry& entry, uint32_t index);
  std::unique_ptr<AssetStream> open_content(const ZipEntry& entry, uint32_t index);
  Result<void> copy(uint64_t at, uint64_t count, uint32_t* crc);

  const std::shared_ptr<const ByteSource> source_;
  const ZipDirectory& directory_;
  const OldArchive& old_;
  const RewriteOptions& options_;
  SequentialOutput& output_;
  const uint64_t shift_bytes_;
  std::atomic<uint64_t>* done_bytes_;
  std::vector<WrittenEntry> written_;
  WrittenEntries counts_;
  Hasher64 hash_;
  // Holds the extra fields of the entry being written.
  std::string extra_;
  bool is_read_ = false;
};

}  // namespace seekless

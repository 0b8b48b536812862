// Checks that a rewritten zip archive has the same content as the old one. Both are read again:
// their directories by our own reader, and everything, down to the last byte of content, by libzip,
// which shares no code with the writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/repack/rewrite_zip.h"

struct zip;

namespace seekless {

// Opens an archive in libzip.
class SecondReader {
 public:
  // Errors of kind damaged if libzip can't read the archive, or finds other entries in it than
  // `directory` lists.
  static Result<SecondReader> open(const std::string& path, const ZipDirectory& directory);

  zip* archive() const { return archive_.get(); }
  const std::string& path() const { return path_; }

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  SecondReader(std::string path, zip* archive) : path_(std::move(path)), archive_(archive) {}

  std::string path_;
  std::unique_ptr<zip, Discard> archive_;
};

// An archive that entries of the new one come from.
struct EntriesWritten {
  std::shared_ptr<const ByteSource> source;
  const ZipDirectory& directory;
  const OldArchive& old;
  const SecondReader& reader;           // must have opened the same archive
  const std::vector<uint64_t>& hashes;  // same meaning as WrittenEntries::hashes
};

struct EntryOrigin {
  uint32_t archive = 0;  // number among the archives that entries come from
  uint32_t entry = 0;    // number in its directory
};

// Describes the directory that the new archive should have.
struct WrittenDirectory {
  std::vector<EntryOrigin> origins;  // one for each record
  std::string comment;
  uint64_t shift_bytes = 0;
};

// Compares each entry of the new archive with its original: name, flags, sizes, CRC, times,
// attributes, comments, extra fields, and its data with the hash taken when they were written.
// Deflated entries that were copied must also unpack. Fails with kind `damaged` if the new archive
// is wrong, or the old one is damaged.
Result<void> verify_entries(std::span<const EntriesWritten> old, const WrittenDirectory& expected,
                            const std::string& new_path,
                            std::atomic<uint64_t>* done_bytes = nullptr);

// Does the same for a rewritten archive, which must have all entries of the old one.
Result<void> verify_zip(const EntriesWritten& old, const std::string& new_path,
                        const RewriteReport& report, std::atomic<uint64_t>* done_bytes = nullptr);

}  // namespace seekless

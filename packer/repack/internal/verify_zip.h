// Whether a rewritten zip archive holds what the old one does. Both are read once more: their
// directories by our own reader, and all of them, down to the last byte of content, by libzip,
// which shares no code with what wrote the new one.
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

// An archive as libzip reads it.
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

// An archive that entries of a new one come from.
struct EntriesWritten {
  std::shared_ptr<const ByteSource> source;
  const ZipDirectory& directory;
  const OldArchive& old;
  const SecondReader& reader;           // has opened the same archive
  const std::vector<uint64_t>& hashes;  // as WrittenEntries::hashes
};

struct EntryOrigin {
  uint32_t archive = 0;  // number among those that entries come from
  uint32_t entry = 0;    // in its directory
};

// What the new archive's directory is to be.
struct WrittenDirectory {
  std::vector<EntryOrigin> origins;  // of each record
  std::string comment;
  uint64_t shift_bytes = 0;
};

// Compares each entry of the new archive with the one that it comes from: name, flags, sizes, CRC,
// times, attributes, comments, extra fields, and its data with the hash of what was read when they
// were written; of deflated ones that were copied, also whether they can be unpacked. Errors of
// kind damaged: the new archive is of no use, or the old one is damaged.
Result<void> verify_entries(std::span<const EntriesWritten> old, const WrittenDirectory& expected,
                            const std::string& new_path,
                            std::atomic<uint64_t>* done_bytes = nullptr);

// The same of an archive that was rewritten: it has all entries of the old one.
Result<void> verify_zip(const EntriesWritten& old, const std::string& new_path,
                        const RewriteReport& report, std::atomic<uint64_t>* done_bytes = nullptr);

}  // namespace seekless

// Whether a rewritten zip archive holds what the old one does. Both are read once more: their
// directories by our own reader, and all of them, down to the last byte of content, by libzip,
// which shares no code with what wrote the new one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "packer/content/zip_directory.h"
#include "packer/host/error.h"
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

// Compares each entry of the new archive with that of the old one: name, flags, sizes, CRC, times,
// attributes, comments, extra fields, and its data with the hash of what was read when they were
// written. `old_reader` has opened the archive of `old_source`. Errors of kind failed: the new
// archive is of no use.
Result<void> verify_zip(const std::shared_ptr<const ByteSource>& old_source,
                        const ZipDirectory& old_directory, const OldArchive& old,
                        const SecondReader& old_reader, const std::string& new_path,
                        const RewriteReport& report, std::atomic<uint64_t>* done_bytes = nullptr);

}  // namespace seekless

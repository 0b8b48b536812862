// The interface for rewriting an archive of any format. Code that rewrites a game's archives knows
// formats only by this interface. Each format has its own source: zip_rewriter.cpp,
// flat_rewriter.cpp (formats of packer/content/flat_archive.h),
// vpk_set_rewriter.cpp (packer/content/vpk_set.h),
// iostore_set_rewriter.cpp (packer/content/iostore_set.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/repack/rewrite_zip.h"

namespace seekless {

// Rewrites one archive, on one thread. Entries are numbers in the archive's directory, or in its
// set.
class ArchiveRewriter {
 public:
  virtual ~ArchiveRewriter() = default;

  virtual size_t entry_count() const = 0;
  // Returns the reason why the archive must stay as it is, as far as the directory shows one; empty
  // if there is none.
  virtual std::string obstacle() const = 0;
  // Returns false if an archive that was replaced in place must be restored before it is again.
  virtual bool can_be_repeated() const { return true; }
  // Estimates an upper limit for the size of the new file. Fails with kind `damaged` if these
  // entries can't be given new places.
  virtual Result<uint64_t> expected_bytes(std::span<const uint32_t> read_entries,
                                          const RewriteOptions& options) const = 0;

  // Must be called before rewrite(). Returns an obstacle found by reading more than the directory,
  // or an empty text. `verifies` says whether verify() will be called. Fails with kind `damaged` if
  // the archive contradicts its directory.
  virtual Result<std::string> prepare(bool verifies) = 0;
  // Makes `new_path`, whole or not at all, and doesn't flush it to the disk yet. A set's new parts
  // are made beside it (RewriteReport::added). `done_bytes`, which may be null, grows by the bytes
  // processed. Errors: damaged for content that contradicts the directory; failed if a file can't
  // be read or written.
  virtual Result<RewriteReport> rewrite(std::span<const uint32_t> read_entries,
                                        const RewriteOptions& options, const std::string& new_path,
                                        std::atomic<uint64_t>* done_bytes) const = 0;
  // Reads the new archive from the disk and compares it with the old one. Fails with kind `damaged`
  // if their contents differ, or if the old archive's content is damaged.
  virtual Result<void> verify(const std::string& new_path, const RewriteReport& report,
                              std::atomic<uint64_t>* done_bytes) const = 0;
};

// `bytes` are the content of the file `path`. Errors: failed if it can't be read; damaged for a bad
// directory.
Result<std::unique_ptr<ArchiveRewriter>> open_zip_rewriter(std::shared_ptr<const ByteSource> bytes,
                                                           std::string path);
Result<std::unique_ptr<ArchiveRewriter>> open_flat_rewriter(
    std::shared_ptr<const ByteSource> bytes);
// `bytes` are those of the directory, and its parts lie beside `path`. No entry stays in the parts
// called `vacated`.
Result<std::unique_ptr<ArchiveRewriter>> open_vpk_set_rewriter(
    std::shared_ptr<const ByteSource> bytes, const std::string& path,
    std::vector<std::string> vacated);

// `bytes` are those of the directory, and its parts lie beside `path`. A new part replaces nothing
// there but what is called `own`.
Result<std::unique_ptr<ArchiveRewriter>> open_iostore_set_rewriter(
    std::shared_ptr<const ByteSource> bytes, const std::string& path, std::vector<std::string> own);

}  // namespace seekless

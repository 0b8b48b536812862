// How an archive of any format is written anew: whoever rewrites a game's archives knows no more of
// them than this. A format has a source of its own: zip_rewriter.cpp, flat_rewriter.cpp (Godot's
// .pck, Quake's .pak).
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

// For one archive and one thread. Entries are numbers in the archive's directory.
class ArchiveRewriter {
 public:
  virtual ~ArchiveRewriter() = default;

  virtual size_t entry_count() const = 0;
  // What the directory alone tells: why the archive has to stay as it is; empty if it needn't.
  virtual std::string obstacle() const = 0;
  // About how large the new file will be at the most.
  virtual uint64_t expected_bytes(std::span<const uint32_t> read_entries,
                                  const RewriteOptions& options) const = 0;

  // Comes before rewrite(). Returns an obstacle that shows only in the archive itself, or none;
  // `verifies` if verify() is to come. Errors: damaged if the archive isn't what its directory
  // says.
  virtual Result<std::string> prepare(bool verifies) = 0;
  // Makes `new_path`, whole or not at all, not yet flushed to the disk. `done_bytes`, which may be
  // null, grows by what was dealt with. Errors: damaged for content that isn't what the directory
  // says; failed for what can't be read or written.
  virtual Result<RewriteReport> rewrite(std::span<const uint32_t> read_entries,
                                        const RewriteOptions& options, const std::string& new_path,
                                        std::atomic<uint64_t>* done_bytes) const = 0;
  // Reads the new archive from the disk. Errors of kind damaged: it doesn't hold what the old one
  // does, or that holds damaged content.
  virtual Result<void> verify(const std::string& new_path, const RewriteReport& report,
                              std::atomic<uint64_t>* done_bytes) const = 0;
};

// `path` names the file that `bytes` are of. Errors: what can't be read; damaged for its directory.
Result<std::unique_ptr<ArchiveRewriter>> open_zip_rewriter(std::shared_ptr<const ByteSource> bytes,
                                                           std::string path);
Result<std::unique_ptr<ArchiveRewriter>> open_flat_rewriter(
    std::shared_ptr<const ByteSource> bytes);

}  // namespace seekless

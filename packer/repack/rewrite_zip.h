// Rewrites a zip archive with the same entries in another order, stored if that is faster. Takes
// the old archive, its directory and an order; writes a file that every reader of the old one can
// read, but faster.
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
#include "packer/repack/internal/entry_writer.h"
#include "packer/repack/internal/old_archive.h"

namespace seekless {

// The extra field stores the alignment in 16 bits.
inline constexpr uint32_t kMaxZipAlignmentBytes = 1U << 15;

// A file that a rewritten archive has beside it.
struct AddedFile {
  std::string name;   // without a folder
  uint64_t hash = 0;  // XXH3-64
  uint64_t size_bytes = 0;
};

struct RewriteReport : WrittenEntries {
  uint64_t file_bytes = 0;  // with `added`
  uint64_t file_hash = 0;   // XXH3-64 of the new file
  // Holds, for each record of the new directory, its number in the old one.
  std::vector<uint32_t> directory_order = {};
  std::vector<AddedFile> added = {};  // new parts of a set
};

// Returns the order in which data will lie: first `read_entries` (numbers in the directory; repeats
// and unknown numbers are skipped), then all others in their old order.
std::vector<uint32_t> order_of_data(std::span<const uint32_t> read_entries,
                                    std::span<const uint32_t> by_place);

// Returns the same order for the directory, except that entries with the same name keep their old
// sequence. `order` holds each entry once.
std::vector<uint32_t> order_of_records(const ZipDirectory& directory,
                                       std::span<const uint32_t> order);

// Estimates an upper limit for the size of the new file without reading the old one.
uint64_t expected_bytes(uint64_t old_bytes, const ZipDirectory& directory,
                        std::span<const uint32_t> read_entries, const RewriteOptions& options);

// Makes `new_path`, whole or not at all, and doesn't flush it to the disk yet. `old` must have no
// obstacle. Uses at most 64 MiB of memory, however large entries are. Fails with kind `damaged` for
// content that contradicts the directory, and with kind `failed` if something can't be read or
// written.
Result<RewriteReport> rewrite_zip(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory, const OldArchive& old,
                                  std::span<const uint32_t> read_entries,
                                  const RewriteOptions& options, const std::string& new_path,
                                  std::atomic<uint64_t>* done_bytes = nullptr);

}  // namespace seekless

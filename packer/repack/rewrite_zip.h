// Writes a zip archive anew: the same entries in another order, stored where that pays. From the
// old archive, its directory and an order, to a file that every reader of the old one reads,
// faster.
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

// The alignment's own field has 16 bits for it.
inline constexpr uint32_t kMaxZipAlignmentBytes = 1U << 15;

struct RewriteReport : WrittenEntries {
  uint64_t file_bytes = 0;
  uint64_t file_hash = 0;  // XXH3-64 of the new file
  // The new directory: each record's number in the old one.
  std::vector<uint32_t> directory_order = {};
};

// The order in which data are to lie: first `read_entries` (numbers in the directory, each once;
// others are passed over), then all others as they lay.
std::vector<uint32_t> order_of_data(std::span<const uint32_t> read_entries,
                                    std::span<const uint32_t> by_place);

// That order for the directory, but that entries with the same name keep theirs. `order` holds
// each entry once.
std::vector<uint32_t> order_of_records(const ZipDirectory& directory,
                                       std::span<const uint32_t> order);

// About how large the new file will be at the most; the old one isn't read.
uint64_t expected_bytes(uint64_t old_bytes, const ZipDirectory& directory,
                        std::span<const uint32_t> read_entries, const RewriteOptions& options);

// Makes `new_path`, whole or not at all, not yet flushed to the disk. `old` has no obstacle. Needs
// 64 MiB at most, however large entries are. Errors: damaged for content that isn't what the
// directory says; failed for what can't be read or written.
Result<RewriteReport> rewrite_zip(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory, const OldArchive& old,
                                  std::span<const uint32_t> read_entries,
                                  const RewriteOptions& options, const std::string& new_path,
                                  std::atomic<uint64_t>* done_bytes = nullptr);

}  // namespace seekless

// Writes files that appear whole or not at all: they are written under a temporary name, then
// renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/fence.h"

namespace seekless {

// A file that is written under a temporary name beside its own, and gets its own name on commit. If
// it is destroyed before that, nothing remains. The temporary name is unique, so several processes
// or machines may write the same file at once; the last one to commit wins. The folder's path is
// resolved once: a folder that replaces it later gets nothing. Any thread may write at disjoint
// offsets; everything else is for one thread.
class PendingFile {
 public:
  // `size_bytes` is reserved at once, so that a full disk shows before the work; 0 reserves none.
  // The new file gets the owner and permissions of the file that it replaces; before that, the
  // temporary file isn't open to more users. `replaced` names that file; if it is empty,
  // place_of_new() does.
  static Result<PendingFile> create(std::string path, uint64_t size_bytes = 0,
                                    std::string replaced = {});
  // Creates a file that only this user can read, whatever rights the replaced file had.
  static Result<PendingFile> create_own(std::string path, uint64_t size_bytes = 0);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&& other) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  // From this call on, writes go straight to the disk if the file system can do that and if their
  // positions, lengths and memory are multiples of 4 KiB. They don't push other data out of the
  // cache, and leave little to flush at the end. For large writes only.
  void bypass_cache();

  Result<void> write_at(uint64_t offset_bytes, std::span<const std::byte> bytes) const;
  Result<void> append(std::string_view text);
  Result<void> truncate(uint64_t size_bytes) const;
  // Flushes to the disk (unless `durable` is false), then renames.
  Result<void> commit(bool durable = true);

 private:
  PendingFile() = default;
  Result<void> begin(std::string path, uint64_t size_bytes, bool is_private);
  void discard() noexcept;
  int descriptor_for(uint64_t offset_bytes, std::span<const std::byte> bytes) const;

  std::string path_;
  OpenFolder folder_;
  std::string temporary_name_;
  std::string replaced_;  // empty: only this user gets rights
  int descriptor_ = -1;
  int direct_descriptor_ = -1;  // a second descriptor, for writing past the cache
  uint64_t end_bytes_ = 0;
};

// Returns the final place of a file written at `path`. For a file in a folder of new files
// (runtime::kNewPacksFolder), that is the place beside that folder; for any other, its own.
std::string place_of_new(const std::string& path);

}  // namespace seekless

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
// it is destroyed before that, nothing remains. Nobody else can choose or take that name: other
// processes, also on other machines, may write the same file at the same time, and the last one to
// commit wins. The folder is resolved once: a folder that takes its place meanwhile gets nothing.
// Any thread may write at disjoint offsets; everything else is for one thread.
class PendingFile {
 public:
  // `size_bytes` is reserved at once, so that a full disk shows before the work; 0 reserves none. A
  // user who may not read the replaced file can't read the temporary one either, and the new file
  // gets the old one's owner and permissions. `replaced` names that file; if it is empty,
  // place_of_new() does.
  static Result<PendingFile> create(std::string path, uint64_t size_bytes = 0,
                                    std::string replaced = {});
  // Creates a file that only this user can read, whatever the rights of the replaced file.
  static Result<PendingFile> create_own(std::string path, uint64_t size_bytes = 0);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&& other) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  // From now on, data written at multiples of 4 KiB, from aligned memory and in such lengths, goes
  // straight to the disk if the file system can do that. It then doesn't push other data out of the
  // cache, and little is left to flush at the end. For large writes only.
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
  int direct_descriptor_ = -1;  // open for writing past the cache
  uint64_t end_bytes_ = 0;
};

// The place that a file at `path` is made for: of one in a folder of new files
// (runtime::kNewPacksFolder), the place beside that folder; of any other, its own.
std::string place_of_new(const std::string& path);

}  // namespace seekless

// Files that appear whole or not at all: written under a temporary name, then renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/fence.h"

namespace seekless {

// A file that is written under a temporary name beside its own, and gets its own name on commit;
// if it is destroyed before that, nothing remains. Nobody else can choose that name or have it:
// other processes, on other machines too, may write the same file at the same time, and the last
// one to commit wins. Its folder is found once: what takes that folder's place meanwhile gets
// nothing. Writing at disjoint places is safe from any thread; everything else is for one.
class PendingFile {
 public:
  // `size_bytes` is reserved at once, so that a full disk is known before the work; 0 reserves
  // none. Whoever may not read the file that is replaced can't read the temporary one either, and
  // the new one gets its owner and permissions. Which one that is says `replaced`; if it is empty,
  // place_of_new() does.
  static Result<PendingFile> create(std::string path, uint64_t size_bytes = 0,
                                    std::string replaced = {});
  // One that is this user's alone, whoever might read what it replaces.
  static Result<PendingFile> create_own(std::string path, uint64_t size_bytes = 0);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&& other) noexcept;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  // From now on what is written at multiples of 4 KiB, from and in such, goes straight to the disk
  // where the file system can do that: neither does the machine's cache give way to it, nor is
  // there much left to flush at the end. For large writes only.
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
  std::string replaced_;  // empty: nobody but this user has rights
  int descriptor_ = -1;
  int direct_descriptor_ = -1;  // past the cache
  uint64_t end_bytes_ = 0;
};

// The place that a file at `path` is made for: of one in a folder of new files
// (runtime::kNewPacksFolder), the place beside that folder; of any other, its own.
std::string place_of_new(const std::string& path);

}  // namespace seekless

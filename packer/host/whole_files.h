// Copies, links and locks whole files, and copies their attributes. Safe replacement of files is
// built from these calls.
#pragma once

#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Identifies a file without reading it. For a symbolic link, this is the link itself.
struct FileIdentity {
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;  // since 1970
  uint64_t device = 0;
  uint64_t inode = 0;
  bool is_regular = false;

  bool is_same_file(const FileIdentity& other) const {
    return device == other.device && inode == other.inode;
  }
};

Result<FileIdentity> identity_of(const std::string& path);
// Returns the device of what lies at the path; on Windows, of a drive that is mounted there.
Result<uint64_t> device_of(const std::string& path);

// Copies permissions, time of modification and, where allowed, the owner.
Result<void> copy_attributes(const std::string& from, const std::string& to);

// Makes `to`, which must not exist yet, with the content and attributes of `from`. Shares the
// blocks if the file system can.
Result<void> copy_whole_file(const std::string& from, const std::string& to);

// Gives the file a second name; returns false if the file system has no hard links.
Result<bool> link_file(const std::string& from, const std::string& to);

// Flushes one file to the disk.
Result<void> sync_file(const std::string& path);

// Returns how many bytes an ordinary user may still write on the file system of `folder`.
Result<uint64_t> free_bytes(const std::string& folder);

// Keeps other processes out as long as the object lives.
class FileLock {
 public:
  // Creates the file if needed. Fails at once if another process has the lock.
  static Result<FileLock> take(const std::string& path);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace seekless

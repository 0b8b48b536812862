// What is done to files as a whole: copies and links, what they are like, and locks. The calls that
// replacing files safely is made of.
#pragma once

#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// What tells a file from another one, without reading it. Of a symbolic link: the link itself.
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

// Permissions, time of change and, where that is allowed, the owner.
Result<void> copy_attributes(const std::string& from, const std::string& to);

// Makes `to`, which isn't there yet, with the same content and attributes; shares the blocks where
// the file system can.
Result<void> copy_whole_file(const std::string& from, const std::string& to);

// Gives the file a second name; false if the file system has no hard links.
Result<bool> link_file(const std::string& from, const std::string& to);

// Flushes one file to the disk.
Result<void> sync_file(const std::string& path);

// What an ordinary user may still write on the file system of `folder`.
Result<uint64_t> free_bytes(const std::string& folder);

// Keeps other processes out for as long as it lives.
class FileLock {
 public:
  // Makes the file if need be; fails at once if another process has the lock.
  static Result<FileLock> take(const std::string& path);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace seekless

// The runtime's only interface to the operating system. Packs are read through File; tests and the
// simulator replace it. Each operating system has its own file beside file_io_posix.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace seekless::runtime {

// The place of a file, as far as the system tells. It is used to sort reads into the disk's order.
struct FilePlace {
  uint64_t device = 0;  // files with the same number lie on one device
  // Position of the file's first byte on the device, or else a unique number.
  uint64_t start_bytes = 0;
  bool is_known = false;   // start_bytes is a real position
  bool is_memory = false;  // the device is RAM (tmpfs)
};

inline constexpr intptr_t kNoDescriptor = -1;
// Detects whether another file has taken the name since. Values unknown to the system are 0.
struct FileStamp {
  uint64_t device = 0;
  uint64_t number = 0;  // the file's number on the device
  uint64_t size_bytes = 0;
  int64_t changed_ns = 0;  // when the file changed, since 1970
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Describes how the system reads ahead on a file's device.
struct ReadAhead {
  // The longest range that it reads in one go for a hint.
  uint32_t longest_hint_bytes = 128 << 10;
  // How far it reads ahead by itself, in one command, beside sequential reads of 1 MiB. 0 if it
  // doesn't, or if this isn't known.
  uint32_t window_bytes = 0;
};

struct FolderEntry {
  enum class Kind : uint8_t { file, folder, other };  // `other`: links, pipes, devices
  std::string name;
  Kind kind = Kind::other;
  FileStamp stamp;
};

// An open file. Any thread may use it.
class File {
 public:
  virtual ~File() = default;
  virtual const std::string& name() const = 0;
  virtual uint64_t size_bytes() const = 0;
  // The file's stamp when it was opened.
  virtual FileStamp stamp() const { return {.size_bytes = size_bytes()}; }
  // Fills the whole of `into`, or fails. If the file ends too early, fails with SKL_DAMAGED.
  virtual Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const = 0;
  // Hints to the system that this range will be read soon.
  virtual void will_need(uint64_t offset_bytes, uint64_t length_bytes) const = 0;
  // The first call may need system calls.
  virtual ReadAhead read_ahead() const { return {}; }

  // Fills the pieces, one after the other, from `offset_bytes` on. Otherwise like read_at.
  virtual Result<void> read_pieces(uint64_t offset_bytes,
                                   std::span<const std::span<std::byte>> pieces) const;
  // The first call may ask the system.
  virtual FilePlace place() const { return {}; }
  // Returns whether the device is rotational. Asks the system at each call; returns none if it
  // doesn't know (network, overlays, containers).
  virtual std::optional<bool> says_rotational() const { return std::nullopt; }
  // Returns the file's descriptor, for back-ends that make their own system calls (for Windows, see
  // file_io_windows.h). Returns kNoDescriptor if only the functions above can read this file.
  virtual intptr_t descriptor() const { return kNoDescriptor; }
  // Returns the offset in the descriptor's file at which this file begins.
  virtual uint64_t descriptor_offset_bytes() const { return 0; }
};

// This is defined inline because the library is built without RTTI, and code built with RTTI
// derives from File.
inline Result<void> File::read_pieces(uint64_t offset_bytes,
                                      std::span<const std::span<std::byte>> pieces) const {
  for (const std::span<std::byte> piece : pieces) {
    if (auto read = read_at(offset_bytes, piece); !read) return read;
    offset_bytes += piece.size();
  }
  return {};
}

// Makes the error of a failed system call.
std::unexpected<Error> call_failed(const std::string& name, const char* action, int os_error,
                                   uint64_t offset_bytes = kNoOffset);
// Makes the error of a failed read of a file; all readers share it. If `os_error` is 0, the file
// ended `missing_bytes` too soon.
Error read_error(const File& file, uint64_t offset_bytes, uint64_t missing_bytes, int os_error);
// A file open for writing. Only one thread may use it.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
};

class FileIo {
 public:
  virtual ~FileIo() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path) const = 0;
  virtual bool is_folder(const std::string& path) const = 0;
  // Returns a folder's entries, in any order. Links aren't followed.
  virtual Result<std::vector<FolderEntry>> list(const std::string& folder) const {
    return make_error(SKL_UNSUPPORTED, {folder, ": expected files, found a folder"});
  }
  // Returns the entry at a path, without its name. Links aren't followed.
  virtual Result<FolderEntry> look(const std::string& path) const {
    return make_error(SKL_UNSUPPORTED, {path, ": expected to be told what lies there"});
  }
  // Creates the file, or empties it if it exists.
  virtual Result<std::unique_ptr<OutputFile>> create(const std::string& path) const {
    return make_error(SKL_UNSUPPORTED, {path, ": expected files that can be written"});
  }
};

std::unique_ptr<FileIo> make_system_file_io();

// Wraps a part of a file that the caller has opened. A length_bytes of SKL_TO_THE_END means
// everything from the offset on. `keeps` is released together with the result. Errors: INVALID (not
// a file, or too short for that part), IO.
Result<std::unique_ptr<File>> borrow_file(const std::string& name, intptr_t descriptor,
                                          uint64_t offset_bytes, uint64_t length_bytes,
                                          std::shared_ptr<const void> keeps);
// Returns the error that borrow_file would return, or none.
std::optional<Error> not_in_file(const std::string& name, uint64_t file_bytes,
                                 uint64_t offset_bytes, uint64_t& length_bytes);

// Tells whether this thread's reads have waited for a device since this object was created. Reads
// from the page cache and the system's read-ahead for later reads don't count. False if the system
// doesn't say.
class DeviceWait {
 public:
  DeviceWait();
  bool has_happened() const;

 private:
  int64_t waits_ = 0;
  int64_t blocks_ = 0;
};

// Allocates from the C library. Returns null if there is no memory. The alignment must be a power
// of two, and the size a multiple of it.
void* allocate_aligned(size_t size_bytes, size_t alignment_bytes);
void free_aligned(void* memory);

// Hints to the system that all of this memory is about to be filled.
void will_fill(std::span<std::byte> memory);

}  // namespace seekless::runtime

// The runtime's one seam to the operating system. Packs are read through File; tests and the
// simulator replace it. Every operating system has its own file beside file_io_posix.cpp.
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

// Where a file lies, as far as the system says; it puts reads into the disk's order.
struct FilePlace {
  uint64_t device = 0;       // files of one number lie on one device
  uint64_t start_bytes = 0;  // place of its first byte there, or else a unique number
  bool is_known = false;     // start_bytes is a place
  bool is_memory = false;    // the device is the computer's memory
};

inline constexpr intptr_t kNoDescriptor = -1;
// Shows whether another file has taken its name since. What a system can't say is 0.
struct FileStamp {
  uint64_t device = 0;
  uint64_t number = 0;  // on the device
  uint64_t size_bytes = 0;
  int64_t changed_ns = 0;  // since 1970
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct FolderEntry {
  enum class Kind : uint8_t { file, folder, other };  // other: links, pipes, devices
  std::string name;
  Kind kind = Kind::other;
  FileStamp stamp;
};

// An open file. Safe from any thread.
class File {
 public:
  virtual ~File() = default;
  virtual const std::string& name() const = 0;
  virtual uint64_t size_bytes() const = 0;
  // As it was opened.
  virtual FileStamp stamp() const { return {.size_bytes = size_bytes()}; }
  // Fills the whole of `into`, or fails; the end of the file is SKL_DAMAGED.
  virtual Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const = 0;
  // Tells the system that this range will be read soon. Only a hint.
  virtual void will_need(uint64_t offset_bytes, uint64_t length_bytes) const = 0;

  // Fills the pieces, one after the other from `offset_bytes` on; else as read_at.
  virtual Result<void> read_pieces(uint64_t offset_bytes,
                                   std::span<const std::span<std::byte>> pieces) const;
  // May ask the system when it is first called.
  virtual FilePlace place() const { return {}; }
  // Whether the device has a head that has to move, as the system says each time it is asked. None:
  // it doesn't know (network, overlays, containers).
  virtual std::optional<bool> says_rotational() const { return std::nullopt; }
  // For back-ends that read by system calls of their own: what the system's functions call it
  // (file_io_windows.h says what that is on Windows). kNoDescriptor: only the functions above can
  // read this file.
  virtual intptr_t descriptor() const { return kNoDescriptor; }
  // Where in it this file begins.
  virtual uint64_t descriptor_offset_bytes() const { return 0; }
};

// It is here, and not in a source file, because the library is built without type information, and
// code that is built with it derives from File.
inline Result<void> File::read_pieces(uint64_t offset_bytes,
                                      std::span<const std::span<std::byte>> pieces) const {
  for (const std::span<std::byte> piece : pieces) {
    if (auto read = read_at(offset_bytes, piece); !read) return read;
    offset_bytes += piece.size();
  }
  return {};
}

// The error of a call to the system that failed.
std::unexpected<Error> call_failed(const std::string& name, const char* action, int os_error,
                                   uint64_t offset_bytes = kNoOffset);
// The error of a failed read of a file, the same for all who read. `os_error` 0: the file has ended
// `missing_bytes` too soon.
Error read_error(const File& file, uint64_t offset_bytes, uint64_t missing_bytes, int os_error);
// A file that is being written. Used by one thread.
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
  // What a folder holds, in any order. Links aren't followed.
  virtual Result<std::vector<FolderEntry>> list(const std::string& folder) const {
    return make_error(SKL_UNSUPPORTED, {folder, ": expected files, found a folder"});
  }
  // What lies at a path, without its name. Links aren't followed.
  virtual Result<FolderEntry> look(const std::string& path) const {
    return make_error(SKL_UNSUPPORTED, {path, ": expected to be told what lies there"});
  }
  // Empties the file if it is there.
  virtual Result<std::unique_ptr<OutputFile>> create(const std::string& path) const {
    return make_error(SKL_UNSUPPORTED, {path, ": expected files that can be written"});
  }
};

std::unique_ptr<FileIo> make_system_file_io();

// A part of a file that somebody else has opened; length_bytes SKL_TO_THE_END: all from there on.
// `keeps` is let go when this is. Errors: INVALID (it isn't a file, or hasn't that part), IO.
Result<std::unique_ptr<File>> borrow_file(const std::string& name, intptr_t descriptor,
                                          uint64_t offset_bytes, uint64_t length_bytes,
                                          std::shared_ptr<const void> keeps);
// The error of the above; null: the part is there.
std::optional<Error> not_in_file(const std::string& name, uint64_t file_bytes,
                                 uint64_t offset_bytes, uint64_t& length_bytes);

// Tells whether this thread has waited for a device in its reads since this was made. Reads from
// the system's cache don't count, nor what the system reads ahead for later. If the system doesn't
// say, the answer is no.
class DeviceWait {
 public:
  DeviceWait();
  bool has_happened() const;

 private:
  int64_t waits_ = 0;
  int64_t blocks_ = 0;
};

// Memory of the C library; null if there is none. The alignment is a power of two, and the size a
// multiple of it.
void* allocate_aligned(size_t size_bytes, size_t alignment_bytes);
void free_aligned(void* memory);

// Tells the system that all of this memory is about to be filled. Only a hint.
void will_fill(std::span<std::byte> memory);

}  // namespace seekless::runtime

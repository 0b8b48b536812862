// Maps a file into memory, for reading without a copy. Each operating system has its own source
// file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/error.h"
#include "runtime/file_io.h"

namespace seekless::runtime {

// Any thread may call any function.
class FileMap {
 public:
  // Maps all of the file, which must outlive the map. Errors: UNSUPPORTED (the system can't, or the
  // file has no descriptor), OUT_OF_MEMORY (no room for so many addresses), IO.
  static Result<FileMap> make(const File& file);
  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&&) = delete;
  ~FileMap();

  // Touching bytes waits for the disk if the system has evicted them, and raises a signal if they
  // can't be read or the file was truncated.
  std::span<const std::byte> bytes(uint64_t offset_bytes, uint64_t length_bytes) const {
    return {memory_ + begin_bytes_ + offset_bytes, static_cast<size_t>(length_bytes)};
  }
  // Loads the range into memory, waits for it, and returns the bytes. Errors: DAMAGED (the file is
  // too short), IO, UNSUPPORTED (Linux before 5.14).
  Result<std::span<const std::byte>> bring(uint64_t offset_bytes, uint64_t length_bytes) const;
  // Returns whether the file's size or modification time has changed since it was mapped. Asks the
  // system at most ten times a second. `now` is now_us().
  bool has_changed(uint64_t now) const;

 private:
  struct Stamp {
    uint64_t size_bytes = 0;
    int64_t written_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  FileMap(const File& file, std::byte* memory, size_t mapped_bytes, size_t begin_bytes, Stamp stamp)
      : file_(&file),
        memory_(memory),
        mapped_bytes_(mapped_bytes),
        begin_bytes_(begin_bytes),
        stamp_(stamp) {}
  // Returns zeros if the system doesn't tell.
  static Stamp stamp_of(const File& file);

  const File* file_;
  std::byte* memory_;
  size_t mapped_bytes_;
  size_t begin_bytes_;  // where the file begins in the memory
  Stamp stamp_;
  mutable std::atomic<uint64_t> looked_us_ = 0;
  mutable std::atomic<bool> has_changed_ = false;
};

}  // namespace seekless::runtime

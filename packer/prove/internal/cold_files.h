// Reads files as a recorded load did, with nothing of them in the system's memory, and times that.
// Never writes, and drops only pages of these files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/direct_file.h"
#include "packer/prove/internal/fetched_range.h"
#include "packer/trace/event.h"

namespace seekless {

struct Coldness {
  bool was_dropped = true;  // the system took the wish
  bool is_told = true;      // the system tells this user what is in its memory
  uint64_t left_bytes = 0;  // what is still there

  void add(const Coldness& other);
};

// Drops the files' pages, and asks what is left.
Coldness drop_files(std::span<const std::string> paths);

// Returns how many bytes of parts of the files are in the system's memory, as far as it tells.
// Fails if a file can't be opened.
Result<uint64_t> bytes_in_memory(std::span<const std::string> paths,
                                 std::span<const FetchedRange> ranges);

// Throws the reads' bytes away. `paths` are indexed by Event::path and FetchedRange::file.
//
// This function reads through the system's cache, with its read-ahead, one read after another
// without pauses. Returns the seconds.
Result<double> time_reads(std::span<const std::string> paths, std::span<const Event> events);

// Opens files once, and reads parts of them past the system's cache, in order.
class UnbufferedFiles {
 public:
  explicit UnbufferedFiles(std::span<const std::string> paths) : paths_(paths) {}

  // Opens the files of the ranges. Fails if the file system can't read past its cache.
  Result<void> open(std::span<const FetchedRange> ranges);
  Result<double> time_reads(std::span<const FetchedRange> ranges);

 private:
  std::span<const std::string> paths_;
  std::map<uint32_t, DirectFile> files_;
};

}  // namespace seekless

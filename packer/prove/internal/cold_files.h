// Reads files as a recorded load did, with none of their pages cached, and times the reads. Never
// writes, and drops only pages of these files.
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
  bool was_dropped = true;  // the system accepted the request
  bool is_told = true;      // the system tells this user which pages are cached
  uint64_t left_bytes = 0;  // bytes that are still cached

  void add(const Coldness& other);
};

// Drops the files' pages from the page cache, and checks how many are left.
Coldness drop_files(std::span<const std::string> paths);

// Returns how many bytes of these ranges are in the page cache, as far as the system tells. Fails
// if a file can't be opened.
Result<uint64_t> bytes_in_memory(std::span<const std::string> paths,
                                 std::span<const FetchedRange> ranges);

// The functions below discard the bytes that they read. `paths` are indexed by Event::path and
// FetchedRange::file.
//
// Reads through the page cache, with the system's read-ahead, one read after another without
// pauses. Returns the seconds.
Result<double> time_reads(std::span<const std::string> paths, std::span<const Event> events);

// Opens files once, and reads ranges of them in order with direct I/O.
class UnbufferedFiles {
 public:
  explicit UnbufferedFiles(std::span<const std::string> paths) : paths_(paths) {}

  // Opens the files of the ranges. Fails if the file system doesn't support direct I/O.
  Result<void> open(std::span<const FetchedRange> ranges);
  Result<double> time_reads(std::span<const FetchedRange> ranges);

 private:
  std::span<const std::string> paths_;
  std::map<uint32_t, DirectFile> files_;
};

}  // namespace seekless

// Orders reads of files so that the head sweeps once over the disk, using the places where the
// files lie. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/host/extents.h"

namespace seekless {

inline constexpr uint64_t kCachedPageBytes = 4096;

struct WantedRange {
  uint32_t file = 0;  // the file's number, as in Wanted::paths()
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // may reach beyond the file's end

  bool operator==(const WantedRange&) const = default;
};

// Collects ranges of files by path, in any order. Uses memory in proportion to the number of ranges
// that don't touch.
class Wanted {
 public:
  void add(std::string_view path, uint64_t offset_bytes, uint64_t length_bytes);

  // Returns the paths in the order they were first added.
  const std::vector<std::string>& paths() const { return paths_; }
  // Returns the ranges by file and offset; none touch.
  std::vector<WantedRange> take_ranges();

 private:
  void merge();

  std::vector<std::string> paths_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<WantedRange> ranges_;
  size_t merge_at_ = size_t{1} << 20;
};

// Describes a piece of a file that is read at once.
struct SweepRead {
  uint32_t file = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  // Bytes of it that are wanted; the others are gaps that are cheaper to read than to skip.
  uint64_t wanted_bytes = 0;

  bool operator==(const SweepRead&) const = default;
};

// Returns reads of whole pages, ordered by device and place, without repetition. `files[i]` is file
// i of the ranges, which are sorted by file and offset and don't touch. Ranges past a file's end or
// in a hole are left out. Files without known places come last, by number. A gap of at most
// `gap_bytes` between two reads within one extent is read through.
std::vector<SweepRead> plan_sweep(std::span<const FileExtents> files,
                                  std::span<const WantedRange> ranges, uint64_t gap_bytes);

}  // namespace seekless

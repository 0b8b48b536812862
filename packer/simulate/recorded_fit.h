// Measures how well recordings fit the present content. A recording names places in files. Once a
// file has changed, other data lie at these places, and every figure made from them is wrong.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/simulate/recorded_places.h"
#include "packer/trace/event.h"

namespace seekless {

enum class Misfit : uint8_t {
  none,
  past_end,   // reads go past the file's end
  changed,    // the archive is newer than the recording, and its entries have moved
  elsewhere,  // entries have moved, and the time of the recording isn't known
};

struct RecordedFit {
  uint64_t read_bytes = 0;       // bytes of reads of the content with a known length
  uint64_t misfit_bytes = 0;     // number of them that have moved since the recording
  std::string file;              // the file with most misfit bytes; empty if all bytes fit
  Misfit misfit = Misfit::none;  // why this file doesn't fit

  // Returns the misfitting share of the bytes read, 0 to 1; 1 if nothing was read.
  double share() const {
    return read_bytes == 0
               ? 1
               : 1 - static_cast<double>(misfit_bytes) / static_cast<double>(read_bytes);
  }
};

// Counts the reads of one recording after the other.
class FitCounter {
 public:
  // `content` must outlive this object.
  explicit FitCounter(const Content& content)
      : content_(content), begins_(content), last_end_bytes_(content.sources.size()) {}

  // `began_unix_ns` is when the recording began; 0 if unknown.
  void begin_trace(int64_t began_unix_ns) { began_unix_ns_ = began_unix_ns; }
  // `file` is an index in Content::sources. Opens and maps don't count, nor reads of unknown
  // length.
  void add(uint32_t file, const Event& event);

  // Compares the times of archives that the reads don't seem to fit, and returns the result.
  RecordedFit fit() const;
  // Returns how many reads went past the end, by index in Content::sources.
  const std::map<uint32_t, uint64_t>& reads_past_end() const { return reads_past_end_; }

 private:
  struct FileFit {
    uint64_t read_bytes = 0;
    uint64_t past_end_bytes = 0;
    uint64_t reads_to_end = 0;
    uint64_t jumps = 0;           // reads that don't continue at the end of the last one
    uint64_t jumps_to_pages = 0;  // jumps to the beginning of a page
    uint64_t strays = 0;  // jumps to a place in front of the directory that belongs to no entry
    std::map<const Place*, bool> entries =
        {};  // entries that jumps lead to: true if a jump leads to the entry's beginning
    // Start of the first recording that read the file; 0 if the start of one of them is unknown.
    int64_t began_unix_ns = INT64_MAX;
  };
  void add_jump(uint32_t file, uint64_t offset_bytes, FileFit& fit) const;
  Misfit misfit_of(uint32_t file, const FileFit& fit) const;

  const Content& content_;
  const EntryBegins begins_;
  std::vector<uint64_t> last_end_bytes_;  // indexed by source
  std::map<uint32_t, FileFit> files_;
  std::map<uint32_t, uint64_t> reads_past_end_;
  int64_t began_unix_ns_ = 0;
};

}  // namespace seekless

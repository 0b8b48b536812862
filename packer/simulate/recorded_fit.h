// How well recordings fit the content as it is now. A recording names places in files: once a file
// has changed, something else lies there, and every figure that is made from those places is wrong.
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
  changed,    // the archive is newer than the recording, and its entries lie elsewhere now
  elsewhere,  // its entries lie elsewhere, and when it was recorded isn't known
};

struct RecordedFit {
  uint64_t read_bytes = 0;       // by reads of the content that tell how much they read
  uint64_t misfit_bytes = 0;     // of these, what isn't where it was recorded
  std::string file;              // the one that most of them are of; empty if all fit
  Misfit misfit = Misfit::none;  // of that file

  // Of the bytes read, 0 to 1; 1 if nothing was read.
  double share() const {
    return read_bytes == 0
               ? 1
               : 1 - static_cast<double>(misfit_bytes) / static_cast<double>(read_bytes);
  }
};

// Counts the reads of one recording after the other.
class FitCounter {
 public:
  // `content` must outlive it.
  explicit FitCounter(const Content& content)
      : content_(content), begins_(content), last_end_bytes_(content.sources.size()) {}

  // `began_unix_ns`: when the recording began; 0 if that isn't known.
  void begin_trace(int64_t began_unix_ns) { began_unix_ns_ = began_unix_ns; }
  // `file`: in Content::sources. Opens and maps don't count, nor reads of unknown length.
  void add(uint32_t file, const Event& event);

  // Looks at the times of archives that the reads don't seem to fit.
  RecordedFit fit() const;
  // How many reads went past the end, by number in Content::sources.
  const std::map<uint32_t, uint64_t>& reads_past_end() const { return reads_past_end_; }

 private:
  struct FileFit {
    uint64_t read_bytes = 0;
    uint64_t past_end_bytes = 0;
    uint64_t reads_to_end = 0;
    uint64_t jumps = 0;           // reads that don't go on where the last one ended
    uint64_t jumps_to_pages = 0;  // of these, to the begin of a page
    uint64_t strays = 0;          // of these, in front of the directory, but to no entry
    std::map<const Place*, bool> entries =
        {};                             // that jumps lead to: whether one leads to its begin
    int64_t began_unix_ns = INT64_MAX;  // of the first recording that read it; 0: not known of all
  };
  void add_jump(uint32_t file, uint64_t offset_bytes, FileFit& fit) const;
  Misfit misfit_of(uint32_t file, const FileFit& fit) const;

  const Content& content_;
  const EntryBegins begins_;
  std::vector<uint64_t> last_end_bytes_;  // by source
  std::map<uint32_t, FileFit> files_;
  std::map<uint32_t, uint64_t> reads_past_end_;
  int64_t began_unix_ns_ = 0;
};

}  // namespace seekless

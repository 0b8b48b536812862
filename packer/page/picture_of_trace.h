// Collects a picture from a trace while it is read, in bounded memory, for the commands that draw.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/page/internal/picture.h"
#include "packer/trace/event.h"

namespace seekless {

// Draws reads. Opens aren't drawn, and a mapping is drawn as a read of its range. Names without a
// length (from dialects that tell only the order) are drawn as reads of 0 bytes.
class PictureOfTrace final : public TraceSink {
 public:
  // Tells if the reads of the file at `path` are drawn. An empty function draws all.
  using IsDrawn = std::function<bool(std::string_view path)>;

  // If there are more than `most_reads`, only every 2nd, 4th, ... read is kept.
  explicit PictureOfTrace(size_t most_reads = size_t{1} << 20, IsDrawn is_drawn = {})
      : most_reads_(most_reads), is_drawn_(std::move(is_drawn)) {}

  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;

  // Returns the picture; call it once, at the end. Files without a read are left out.
  Picture finish();

 private:
  void leave_out_unread_files();

  Picture picture_;
  size_t most_reads_;
  IsDrawn is_drawn_;
  std::vector<bool> is_left_out_;  // indexed by file; empty if all are drawn
  uint64_t left_out_ = 0;          // number of reads
  uint64_t seen_ = 0;
  uint64_t maps_ = 0;
  uint64_t whole_files_ = 0;
};

}  // namespace seekless

// Collects the figures of one run from its events, in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "packer/analysis/internal/byte_set.h"
#include "packer/analysis/internal/chains.h"
#include "packer/analysis/internal/read_clock.h"
#include "packer/analysis/internal/size_histogram.h"
#include "packer/analysis/internal/top_list.h"
#include "packer/analysis/trace_analyser.h"

namespace seekless {

class RunAnalyser {
 public:
  RunAnalyser(std::string trace, std::string scenario, std::optional<int64_t> begins_ns,
              const KnownContent* content, size_t top);

  void add(const Event& event, const TracePath& path);
  // `paths` are those of the trace. Must be called once. Returns nothing if there was no event.
  std::optional<RunFigures> finish(std::optional<int64_t> ends_ns,
                                   const std::vector<TracePath>& paths);

 private:
  struct AnalysedFile {
    ByteSet needed;
    OpenChains chains;
    uint64_t reads = 0;
    uint64_t bytes = 0;
    uint64_t read_ns = 0;
    uint64_t opens = 0;
    uint64_t failed_opens = 0;
    uint64_t failed_ns = 0;
    std::optional<uint64_t> last_end_bytes;
  };
  struct ChainBefore {
    bool operator()(const Chain& a, const Chain& b) const {
      return std::tuple(b.reads_saved(), b.bytes, a.path, a.offset_bytes, a.process, a.thread) <
             std::tuple(a.reads_saved(), a.bytes, b.path, b.offset_bytes, b.process, b.thread);
    }
  };

  AnalysedFile& file_of(uint32_t path);
  void add_open(const Event& open, AnalysedFile& file);
  void add_read(Event read, AnalysedFile& file, const TracePath& path);
  void add_order(const Event& read, AnalysedFile& file);
  // Returns how many of the read's bytes are new.
  uint64_t add_bytes(const Event& read, AnalysedFile& file, const TracePath& path);
  uint64_t add_content(const Event& read, AnalysedFile& file, uint32_t source);
  void end_chain(const OpenChains::Open& open, const TracePath& path);
  void finish_files(const std::vector<TracePath>& paths);
  void finish_entries();
  void finish_lists();
  std::string entry_at(const TracePath& path, uint64_t offset_bytes) const;

  const KnownContent* content_;
  const size_t top_;
  const std::optional<int64_t> begins_ns_;
  RunFigures figures_;
  bool has_events_ = false;
  ReadClock clock_;
  SizeHistogram sizes_;
  SizeHistogram jumps_;
  std::unordered_map<uint32_t, AnalysedFile> files_;  // indexed by path
  uint32_t latest_path_ = 0;  // path of latest_file_, kept because events of one file come in a row
  AnalysedFile* latest_file_ = nullptr;
  std::unordered_map<uint64_t, ThreadFigures> threads_;
  std::unordered_map<uint32_t, FailedProcess> failed_processes_;
  std::unordered_map<uint32_t, FileFigures> entries_;  // indexed by asset; includes directories
  TopList<Chain, ChainBefore> top_chains_;
  std::optional<uint32_t> last_read_path_;
  uint64_t stretch_reads_ = 0;
  uint64_t stretch_bytes_ = 0;
};

}  // namespace seekless

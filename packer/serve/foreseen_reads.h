// Answers a served folder's reads with what was foreseen: notes what is read, recognises what is
// being loaded, starts sweeps, and learns from the run at its end.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "packer/foresee/recogniser.h"
#include "packer/serve/file_reader.h"
#include "packer/serve/sweeper.h"

namespace seekless {

struct ForeseeOptions {
  std::string folder;
  std::string shadow;       // its file; empty: there is none
  uint64_t gap_bytes = 0;   // shorter ones are read through
  uint64_t most_bytes = 0;  // fetched in advance, in all
};

struct ForeseenFigures {
  uint64_t reads = 0;
  uint64_t shadow_reads = 0;  // answered by the shadow
  std::vector<std::string> recognised;
  SweptBytes swept;
};

class ForeseenReads final : public FileReader {
 public:
  ForeseenReads(Learned learned, ForeseeOptions options);

  uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) override;
  ssize_t read(const FileRead& read, std::span<std::byte> into) override;
  void changes(const std::string& path) override;

  // The core, at once.
  void begin();
  // What was learned, this run included. Once all reads are over.
  Learned finish();
  ForeseenFigures figures();

 private:
  struct OpenedFile {
    uint32_t number;  // in what was learned
    ChangeStamp stamp;
  };
  using Clock = std::chrono::steady_clock;
  OpenedFile note(const FileRead& read, std::span<const PageKey> pages);
  void begin_burst_after_quiet();
  bool has_changed(const OpenedFile& file) const;
  bool is_in_shadow(const OpenedFile& file, int descriptor) const;
  std::vector<std::string> absolute_files() const;

  Learned learned_;
  size_t known_files_;
  ForeseeOptions options_;
  Recogniser recogniser_;
  Sweeper sweeper_;

  std::mutex mutex_;
  std::deque<OpenedFile> opened_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_set<uint32_t> changed_;  // files of which only the original is right from now on
  PageKeys seen_;
  std::vector<LearnedRun> bursts_;
  Clock::time_point last_read_;
  ForeseenFigures figures_;
};

}  // namespace seekless

// Answers a served folder's reads with prefetched data: notes what is read, recognises what is
// being loaded, starts sweeps, and learns from the run at its end. While nothing is read and the
// drive is idle, it fetches what is usually loaded next.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "packer/foresee/read_around.h"
#include "packer/foresee/recogniser.h"
#include "packer/serve/internal/file_reader.h"
#include "packer/serve/internal/sweeper.h"

namespace seekless {

struct ForeseeOptions {
  std::string folder;
  std::vector<std::string> folders = {};  // all that are served; empty: only `folder`
  std::string shadow;                     // the shadow's file; empty: there is none
  uint64_t gap_bytes = 0;                 // shorter gaps are read through
  uint64_t around_bytes = 0;              // unforeseen data to fetch with a read around it; 0: none
  uint64_t most_bytes = 0;                // limit of all that is fetched in advance
};

// A load that the game made, and its name among the learned ones.
struct SeenLoad {
  std::string name;
  bool is_start = false;
  int64_t began_ns = 0;  // on the clock std::chrono::steady_clock
};

struct ForeseenFigures {
  uint64_t reads = 0;
  uint64_t shadow_reads = 0;  // reads answered from the shadow
  double longest_wait_s = 0;  // the longest wait for one read
  std::vector<std::string> recognised;
  std::vector<std::string> fetched_next;  // fetched while nothing was read
  SweptBytes swept;
  uint64_t around_bytes = 0;  // bytes fetched around reads that weren't foreseen
};

class ForeseenReads final : public FileReader {
 public:
  ForeseenReads(Learned learned, ForeseeOptions options);

  void looks_up(const std::string& path) override;
  uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) override;
  ssize_t read(const FileRead& read, std::span<std::byte> into) override;
  void changes(const std::string& path) override;

  // Starts fetching the core, at once.
  void begin();
  // Returns everything learned, this run included. Call it when all reads are over.
  Learned finish();
  // Returns the loads in their order; valid after finish().
  const std::vector<SeenLoad>& loads() const { return loads_; }
  ForeseenFigures figures();

 private:
  struct ForeseenFile {
    uint32_t number;  // number in what was learned
    ChangeStamp stamp;
  };
  using Clock = std::chrono::steady_clock;
  ForeseenFile note(const FileRead& read, std::span<const PageKey> pages);
  // Answers from the shadow. If a sweep is on its way to the pages, waits until it has passed them.
  bool answer_by_shadow(const ForeseenFile& file, std::span<const PageKey> pages,
                        const FileRead& read, std::span<std::byte> into);
  // Answers from the original. If no sweep has brought the page and it isn't in memory, fetches
  // what lies around it too.
  ssize_t answer_by_original(const ForeseenFile& file, const FileRead& read,
                             std::span<std::byte> into);
  void begin_burst_after_quiet();
  void note_name(const std::string& path);
  void find_places();
  void watch_quiet(const std::stop_token& stop);
  void fetch_usual_next();
  bool has_changed(const ForeseenFile& file) const;
  bool is_in_shadow(const ForeseenFile& file, int descriptor) const;

  Learned learned_;
  size_t known_files_;
  ForeseeOptions options_;
  Recogniser recogniser_;
  Sweeper sweeper_;

  std::mutex mutex_;
  std::deque<ForeseenFile> opened_;
  std::unordered_map<uint32_t, uint32_t> last_opened_;  // file's number -> index in opened_
  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_map<std::string, uint32_t> name_numbers_;
  std::unordered_set<uint32_t> looked_up_;  // names of this session
  std::unordered_set<uint32_t>
      changed_;  // files that must be read from their originals from now on
  PageKeys seen_;
  std::vector<LearnedRun> bursts_;
  std::vector<SeenLoad> loads_;
  ReadAround around_;
  Clock::time_point last_read_;
  bool looked_for_next_ = false;  // checked since the last read
  PageKeys next_pages_;           // pages that are fetched while nothing is read
  ForeseenFigures figures_;
  std::condition_variable_any ended_;
  std::jthread watching_;
};

}  // namespace seekless

// How work goes on, as one line on standard error. The rule for all commands: it appears after a
// second, where standard error is a terminal, and is gone before anything else is printed. Where
// it isn't a terminal there is nothing at all. main begins and ends it; a command says what it is
// at, and without that the line is the command's name and the seconds since it began.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace seekless {

// Who sees how work goes on: a person, or a program that asks progress_now().
enum class ProgressFor { person, program };

// For the whole run of a command. One at a time.
class ProgressLine {
 public:
  explicit ProgressLine(std::string command, ProgressFor whom = ProgressFor::person);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
};

struct ProgressNow {
  std::string what;          // a verb: "packing"; before the first stage the command's name
  uint64_t done_bytes = 0;   // 0 where nothing is counted
  uint64_t total_bytes = 0;  // 0: not known
  double seconds = 0;        // since that began
};

// What the command is at; none where none is run. From any thread while a ProgressLine is there.
std::optional<ProgressNow> progress_now();

// Takes the line away before anything else goes to the terminal. It isn't drawn again while the
// lock is held.
[[nodiscard]] std::unique_lock<std::mutex> hide_progress();

// What the command is at, from construction until it is finished. The last one begun is shown: its
// share, rate and time left where the bytes in all are known, else the time that it has taken.
class Progress {
 public:
  // `what` is a verb: "packing".
  explicit Progress(std::string what, uint64_t total_bytes = 0);
  // Counts what is read of files from now on, against the sizes of `paths`, if all are files.
  static Progress of_reading(std::string what, const std::vector<std::string>& paths);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Takes the line away; also done on destruction.
  void finish();

  // Grows as the work goes on; any thread may add.
  std::atomic<uint64_t>& done_bytes() { return done_bytes_; }

 private:
  friend class ProgressDrawer;
  Progress(std::string what, uint64_t total_bytes, bool counts_reads);
  uint64_t done() const;

  const std::string what_;
  const uint64_t total_bytes_;
  const bool counts_reads_;
  const uint64_t read_before_;
  const double began_s_;
  std::atomic<uint64_t> done_bytes_ = 0;
};

}  // namespace seekless

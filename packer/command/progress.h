// Shows the progress of a command as one line on standard error. The line appears after a second,
// and is removed before anything else is printed. It isn't shown if standard error isn't a
// terminal. main begins and ends it, and a command sets the stage. Without a stage, the line shows
// the command's name and the seconds since it began.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace seekless {

// Says who sees the progress: a person, or a program that calls progress_now().
enum class ProgressFor { person, program };

// Exists for the whole run of a command. Only one may exist at a time.
class ProgressLine {
 public:
  explicit ProgressLine(std::string command, ProgressFor whom = ProgressFor::person);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
};

struct ProgressNow {
  std::string what;          // a verb such as "packing"; before the first stage the command's name
  uint64_t done_bytes = 0;   // 0 if no bytes are counted
  uint64_t total_bytes = 0;  // 0 if not known
  double seconds = 0;        // time since the stage began
};

// Returns the current stage, or none if no command runs. Any thread can call it while a
// ProgressLine exists.
std::optional<ProgressNow> progress_now();

// Removes the line before anything else goes to the terminal. It isn't drawn again while the lock
// is held.
[[nodiscard]] std::unique_lock<std::mutex> hide_progress();

// Represents a stage of the command, from construction until finish(). The line shows the stage
// that began last: its percentage, rate and time left if the total is known, or else its seconds so
// far.
class Progress {
 public:
  // `what` is a verb such as "packing".
  explicit Progress(std::string what, uint64_t total_bytes = 0);
  // From now on, counts the bytes read from files. The total is the size of `paths`, if all are
  // regular files.
  static Progress of_reading(std::string what, const std::vector<std::string>& paths);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Removes the line. The destructor does this, too.
  void finish();

  // Returns the counter, which grows as the work continues. Any thread may add to it.
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

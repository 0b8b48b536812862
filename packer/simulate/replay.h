// Simulates what loads cost today: the recorded reads of the content's own files, through the
// system's page cache, on simulated drives.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/lying_files.h"
#include "packer/simulate/moved_reads.h"
#include "packer/simulate/simulated.h"
#include "packer/trace/runs.h"

namespace seekless {

// Holds a drive, and the places on it of Content::sources and of added archives. If archives are
// moved, these are their new places and sizes.
struct ReplayDrive {
  DriveProfile profile;
  LyingFiles lying;
};

struct ReplayedRun {
  RunId id;
  std::vector<SimulatedLoad> loads;  // indexed by drive
  std::vector<uint32_t> assets;      // assets that it reads, in the order of their first reads
  // The time of the recorded load in which no read of the content waited for a drive: the program's
  // other work. If the recorder slowed the program, that is included.
  double besides_seconds = 0;
  bool is_slowed = true;
};

// Returns what one load costs as recorded, cold, with files where they lie. `events` are those of a
// ContentRun: Event::path is an index in LyingFiles::files. All figures of loads as shipped, their
// cost and the bytes that they need, come from this function. Pure.
SimulatedLoad load_of(std::span<const Event> events, const DriveProfile& drive,
                      const LyingFiles& lying, const SimulationOptions& options, bool is_slowed);

// A part of a file that the system asks for: whole pages, up to the file's end.
struct RequestedRange {
  uint32_t file = 0;  // as Event::path
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

// Returns what the system requests from a file system in a load, with an empty page cache: each
// page once, both those that the program reads and those that are read ahead. `file_bytes` are the
// sizes of the files that events name. Pure.
std::vector<RequestedRange> requested_ranges(std::span<const Event> events,
                                             std::span<const uint64_t> file_bytes,
                                             const ReadAhead& read_ahead);

// Returns the content's sources, to be placed; moved ones have their new sizes.
std::vector<FileToPlace> files_of(const Content& content, const MovedContent& moved = {});

// Replays reads as the recorded game made them: traces that it receives as a TraceSink, run by run,
// and runs that were kept. Each run starts with an empty cache. Files outside of the content cost
// nothing.
//
// The program takes no time between its reads, unless the recorded pauses are asked for. With a
// queue depth of 1, reads come one by one, in the recorded order. With a deeper queue, each thread
// asks for its next read as soon as its last one is done, whatever other threads wait for. Up to
// the queue depth, threads wait for the drive together, those with the earliest recorded reads
// first. A trace doesn't show whether one thread waited for another, so this is the most that a
// queue can gain; the real gain is smaller.
class BaselineReplay final : public ContentRuns {
 public:
  // `content` must outlive this object. With `moved`, the reads are changed to fit archives
  // rewritten that way.
  BaselineReplay(const Content& content, std::vector<ReplayDrive> drives,
                 const SimulationOptions& options, MovedContent moved = {});

  void replay(const ContentRun& run);

  // Returns the runs of each scenario. Scenarios that never read the content are missing.
  const std::map<std::string, std::vector<ReplayedRun>>& runs() const { return runs_; }
  // Returns true if some read in the traces has a length, not only a file.
  bool knows_sizes() const { return knows_sizes_; }

 protected:
  void take(ContentRun& run) override { replay(run); }

 private:
  const std::vector<ReplayDrive> drives_;
  const SimulationOptions options_;
  const MovedContent moved_;
  bool knows_sizes_ = false;
  std::map<std::string, std::vector<ReplayedRun>> runs_;
};

// Returns the median run by seconds on that drive, so that neither a lucky nor an unlucky one
// counts. `runs` must not be empty.
const ReplayedRun& median_run(const std::vector<ReplayedRun>& runs, size_t drive);

// Returns the median load by seconds, so that neither a lucky nor an unlucky run counts. `loads`
// must not be empty.
const SimulatedLoad& median(const std::vector<const SimulatedLoad*>& loads);

}  // namespace seekless

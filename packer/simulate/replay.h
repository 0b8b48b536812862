// What loads cost today: the recorded reads on the content's own files, through the system's page
// cache, on simulated drives.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/moved_reads.h"
#include "packer/simulate/simulated.h"
#include "packer/trace/runs.h"

namespace seekless {

// A drive, and where each of Content::sources lies on it (as place_files says). If archives are
// moved, their new sizes count.
struct ReplayDrive {
  DriveProfile profile;
  std::vector<uint64_t> positions;
};

struct ReplayedRun {
  RunId id;
  std::vector<SimulatedLoad> loads;  // by drive
  std::vector<uint32_t> assets;      // that it wants, in the order of their first reads
  // Of the recorded load, while no read of the content waited for a drive: what the program does
  // besides reading. If it was slowed down by how it was recorded, that is in it, too.
  double besides_seconds = 0;
  bool is_slowed = true;
};

// The content's sources, to be placed; those that are moved with their new sizes.
std::vector<FileToPlace> files_of(const Content& content, const MovedContent& moved = {});

// Replays traces as the recorded game read: those that it is given as a TraceSink, run by run, and
// runs that were kept. Each run starts with nothing in memory. Files outside of the content cost
// nothing.
//
// The program takes no time between its reads, unless it is asked to make the recorded pauses. With
// a queue depth of 1 they come one by one, in the recorded order. With more, each thread asks for
// its next read as soon as it has its last one, whatever other threads wait for; as many threads as
// the queue is deep wait at the drive together, first those whose reads were recorded first.
// Whether one thread waited for another isn't in a trace, so this is the most that a queue can win;
// the truth lies between.
class BaselineReplay final : public ContentRuns {
 public:
  // `content` must outlive it. With `moved`, the reads are those of archives rewritten so.
  BaselineReplay(const Content& content, std::vector<ReplayDrive> drives,
                 const SimulationOptions& options, MovedContent moved = {});

  void replay(const ContentRun& run);

  // By scenario, each run's. Scenarios without a read of the content aren't there.
  const std::map<std::string, std::vector<ReplayedRun>>& runs() const { return runs_; }
  // Whether the traces tell of any read how much it read, and not only of which file.
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

// The run in the middle by seconds on that drive, so that neither a lucky nor an unlucky one
// counts. `runs` has one or more.
const ReplayedRun& median_run(const std::vector<ReplayedRun>& runs, size_t drive);

// The load in the middle by seconds, so that neither a lucky nor an unlucky run counts. `loads` has
// one or more.
const SimulatedLoad& median(const std::vector<const SimulatedLoad*>& loads);

}  // namespace seekless

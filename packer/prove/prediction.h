// Predicts the loads that are measured, with the drive model and the files' real places. Pure,
// except that the runtime reads the packs' tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/drive/read_ahead.h"
#include "packer/prove/internal/fetched_range.h"
#include "packer/prove/proof.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/lying_files.h"

namespace seekless {

// Holds the places of all files, and the drive that they lie on.
struct ProvenDisk {
  DriveProfile profile;
  ReadAhead read_ahead;
  uint64_t head_bytes = 0;         // where the head is sent before each load
  bool has_measured_rate = false;  // otherwise the real disk may be faster than the profile
};

// Holds the files of one side of the comparison, and their places.
struct ProvenFiles {
  std::vector<std::string> paths;
  FilePlaces places;
  bool has_real_places = true;  // otherwise they are assumed to lie one after the other
};

// Finds where the files lie. If the file system doesn't report that, or if they lie past the
// drive's end, assumes that they lie one after the other from the drive's start on.
ProvenFiles find_places(std::vector<std::string> paths, const DriveProfile& drive);

struct PredictedSide {
  ProvenSide side;
  std::vector<FetchedRange> fetched;  // ranges read from the drive, in order
};

struct PredictedReads {
  PredictedSide predicted;
  uint64_t needed_bytes = 0;
  double bound_s = 0;
};

// Predicts the recorded reads, on files that Event::path numbers.
Result<PredictedReads> predict_reads(std::span<const Event> events, const ProvenFiles& files,
                                     const ProvenDisk& disk);

// Predicts the sweep of a scenario from the packs in `folder`, and the reads of those `assets` that
// the sweep doesn't read. `files` are the set's, as files_of_set returns them.
Result<PredictedReads> predict_sweep(const std::string& folder, const std::string& scenario,
                                     std::span<const std::string> assets, const ProvenFiles& files,
                                     const ProvenDisk& disk);

// Holds a load to prove: the recorded run with the median time on the content in its present
// places.
struct LoadToProve {
  std::string scenario;
  size_t run = 0;             // number in the kept runs
  std::vector<Event> events;  // opens and reads only
  // Holds the recorded reads on the files that were made from the content; empty if these are
  // packs.
  std::vector<Event> events_after = {};
  std::vector<std::string> assets;  // assets that it reads, by their names in the packs
  PredictedSide before;
};

// Holds the files of the content that some run reads. Those on other devices are left out.
struct ReadSources {
  std::vector<std::string> paths;
  std::vector<uint32_t> number_of;  // for each source, its index in `paths`, or kNotProven
  uint64_t elsewhere = 0;           // number of files on other devices
};
inline constexpr uint32_t kNotProven = UINT32_MAX;

// Returns the events to measure: without those on other devices, numbered as in ReadSources::paths.
// A mapping becomes a read.
std::vector<Event> proven_events(std::vector<Event> events, const ReadSources& read);

ReadSources files_read(const Content& content, const KeptRuns& runs, uint64_t device);

// Returns a load for each scenario, sorted by name. Scenarios that read nothing of the content are
// left out.
Result<std::vector<LoadToProve>> loads_to_prove(const Content& content, const KeptRuns& runs,
                                                const ReadSources& read, const ProvenFiles& files,
                                                const ProvenDisk& disk);

}  // namespace seekless

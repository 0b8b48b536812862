// Holds what was measured on a disk beside what the drive model predicts for it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/drive/load_cost.h"
#include "packer/drive/profile.h"

namespace seekless {

// Holds one load, either from the content as it lies or from the files that were made of it.
struct ProvenSide {
  LoadCost predicted;              // what the drive does
  std::vector<HeadMove> moves;     // of the prediction
  std::vector<double> measured_s;  // one for each round
  // The part of each in which the drive worked, as the system counts it; empty if it doesn't.
  std::vector<double> worked_s = {};
  double least_s = 0;  // no disk reads what the load needs in less; 0 if that isn't known
  // The most that was in the system's memory before a round, of what the load fetches.
  uint64_t left_bytes = 0;

  double median_s() const;
  // Returns the part of the median round in which the drive had nothing to do: the computer's own
  // work, and waiting for other programs on its processors. 0 if that isn't known.
  double own_s() const;
  // Returns the prediction for the whole load: the drive's time, and the computer's own time, which
  // only measuring tells.
  double predicted_s() const { return predicted.seconds + own_s(); }
  // Returns how far the prediction is off, as a share of the measured time; 0 if nothing was
  // measured.
  double error_share() const;

 private:
  std::optional<size_t> median_round() const;
};

struct ProvenLoad {
  std::string name;
  uint64_t needed_bytes = 0;
  double bound_s = 0;
  ProvenSide before;
  ProvenSide after;
};

// Tells where the profile comes from: the block device was measured, or only files on it, or
// somebody named a profile.
enum class ProvenDriveSource : uint8_t { device, files, named };

// Names the kind of files that are made of the content: packs, which the runtime sweeps, or
// archives or files in another order, which are read as recorded.
enum class ProvenWay : uint8_t { packs, repack, place };

// Counts what other programs did on the disk meanwhile.
struct OtherUse {
  bool is_known = false;
  double watched_s = 0;       // time in which nothing was measured, and the disk was watched
  double busy_s = 0;          // part of it in which the disk worked
  uint64_t requests = 0;      // requests in that time
  uint64_t other_bytes = 0;   // read or written by others during the loads
  uint64_t loaded_bytes = 0;  // read by the loads

  double busy_share() const { return watched_s > 0 ? busy_s / watched_s : 0; }
  double bytes_share() const;
  bool is_disturbed() const;
};

// Says how far predictions are off, as shares of the measured time.
struct ModelError {
  double sum = 0;    // of all loads together: their errors may cancel out
  double worst = 0;  // of the load whose prediction is the furthest off
};

struct Proof {
  DriveProfile drive;
  ProvenDriveSource source = ProvenDriveSource::device;
  bool has_measured_rate = false;  // otherwise the profile's rate is assumed
  std::string drive_model;         // only if the user agrees to tell it
  ProvenWay way = ProvenWay::packs;
  std::vector<ProvenLoad> loads;
  uint32_t rounds = 0;
  bool is_forced = false;        // measured though the disk may be none
  bool is_unbuffered = false;    // loads were read past the system's cache
  bool knows_cold = false;       // the system told what was in memory before each load
  uint64_t most_left_bytes = 0;  // the most that was in memory before a load
  bool has_real_places = true;   // the file system tells where the files lie
  OtherUse others;
  uint64_t made_bytes = 0;            // written for the proof, and removed
  double seconds = 0;                 // time that all of it took
  std::vector<std::string> warnings;  // sentences

  double before_s() const;  // sums of the medians
  double after_s() const;
  double predicted_before_s() const;
  double predicted_after_s() const;
  ModelError error_before() const;
  ModelError error_after() const;
  // Return how much of the medians was the computer's own time; 0 if that isn't known.
  double own_before_s() const;
  double own_after_s() const;
  bool knows_own() const;
  // Returns the largest difference between two rounds of one load, as a share of its median.
  double spread_share() const;
};

// Returns why the measured seconds aren't a disk's, and what to do about it, as the end of a
// sentence; empty if they are.
std::string why_untold(const Proof& proof);

// Says in words how sure the figures are: others' use of the disk, what stayed in memory, rounds
// that differ.
std::vector<std::string> doubts_of(const Proof& proof);

}  // namespace seekless

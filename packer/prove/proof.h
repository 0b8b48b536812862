// Holds what was measured on a disk beside what the drive model predicts for it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/drive/load_cost.h"
#include "packer/drive/profile.h"

namespace seekless {

// Holds one load, either from the content in its present places or from the files that were made
// from it.
struct ProvenSide {
  LoadCost predicted;              // what the drive does
  std::vector<HeadMove> moves;     // of the prediction
  std::vector<double> measured_s;  // one for each round
  // Seconds of each round in which the drive was busy, by the system's count; empty if it keeps
  // none.
  std::vector<double> worked_s = {};
  double least_s = 0;  // no disk could do the load in less; 0 if unknown
  // The most bytes of this load that were cached before a round.
  uint64_t left_bytes = 0;

  double median_s() const;
  // Returns the seconds of the median round in which the drive was idle: the computer's own work,
  // and waits for other programs on its processors. 0 if unknown.
  double own_s() const;
  // Returns the prediction for the whole load: the drive's time, plus the computer's own time,
  // which is only known from measuring.
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

// Says where the profile comes from: the block device was measured, or only files on it, or the
// user named a profile.
enum class ProvenDriveSource : uint8_t { device, files, named };

// Names the kind of files that are made of the content: packs, which the runtime sweeps, or
// archives or files in a new order, which are read as recorded.
enum class ProvenWay : uint8_t { packs, repack, place };

// Counts what other programs did on the disk during the proof.
struct OtherUse {
  bool is_known = false;
  double watched_s = 0;       // time in which nothing was measured and the disk was watched
  double busy_s = 0;          // part of that time in which the disk was busy
  uint64_t requests = 0;      // requests in that time
  uint64_t other_bytes = 0;   // read or written by others during the loads
  uint64_t loaded_bytes = 0;  // read by the loads

  double busy_share() const { return watched_s > 0 ? busy_s / watched_s : 0; }
  double bytes_share() const;
  bool is_disturbed() const;
};

// Says how far predictions are off, as shares of the measured time.
struct ModelError {
  double sum = 0;    // error of all loads together, in which errors may cancel out
  double worst = 0;  // error of the load whose prediction is furthest off
};

struct Proof {
  DriveProfile drive;
  ProvenDriveSource source = ProvenDriveSource::device;
  bool has_measured_rate = false;  // otherwise the profile's rate is assumed
  std::string drive_model;         // empty unless the user agrees to share it
  ProvenWay way = ProvenWay::packs;
  std::vector<ProvenLoad> loads;
  uint32_t rounds = 0;
  bool is_forced = false;        // measured although this may not be a real disk
  bool is_unbuffered = false;    // loads were read past the system's cache
  bool knows_cold = false;       // the system told what was cached before each load
  uint64_t most_left_bytes = 0;  // the most bytes that were cached before a load
  bool has_real_places = true;   // the file system reports where the files lie
  OtherUse others;
  uint64_t made_bytes = 0;            // bytes written for the proof and removed again
  double seconds = 0;                 // duration of the whole proof
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

// Returns why the measured seconds can't be those of a disk, and what to do about it, as the end of
// a sentence. Empty if they can be.
std::string why_untold(const Proof& proof);

// Says in words what makes the figures uncertain: other programs on the disk, cached pages,
// differing rounds.
std::vector<std::string> doubts_of(const Proof& proof);

}  // namespace seekless

// Fits a disk's profile to requests that it served, and judges how well a profile predicts such
// requests. docs/calibrate.md describes the method. Pure; the same requests give the same profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/profile.h"
#include "packer/trace/served_requests.h"

namespace seekless {

struct DriveFitOptions {
  std::string profile_name;     // must pass check_profile
  double rpm = 0;               // 0: found from how far response times spread
  uint64_t capacity_bytes = 0;  // 0: the end of the farthest request
};

inline constexpr uint64_t kFewestFittedReads = 100;

struct FittedDrive {
  DriveProfile profile;
  std::vector<std::string> remarks;  // figures that the requests don't show, and the values used
};

// Fits a profile to all of the requests. Fails (damaged, with `file_name`) if fewer than
// kFewestFittedReads of their reads came from a medium that turns.
Result<FittedDrive> fit_drive(std::span<const ServedRequest> requests,
                              const DriveFitOptions& options, const std::string& file_name);

// Holds the model's prediction for one request. The platter's angle isn't known, so the request
// takes anything from least_ms to least_ms + turn_ms, each with the same chance.
struct PredictedRequest {
  double least_ms = 0;
  double turn_ms = 0;  // 0 if the request waits for no angle
  double seek_turns = 0;
  double seek_ms = 0;

  double mean_ms() const { return least_ms + turn_ms / 2; }
};

// Feeds all requests to the model, with their pauses. `track_start` (0 to 1) says where tracks
// begin, which matters only for drives that keep whole tracks.
std::vector<PredictedRequest> predict_requests(const DriveProfile& profile,
                                               std::span<const ServedRequest> requests,
                                               double track_start = 0);

// Holds a group of reads: how many, and their mean time as measured and as predicted.
struct ReadGroup {
  std::string name;
  uint64_t reads = 0;
  double measured_ms = 0;
  double predicted_ms = 0;
};

struct ReadWindow {
  double measured_ms = 0;  // the sum over its reads
  double predicted_ms = 0;
};

// Holds one read for the picture.
struct ReadPoint {
  double stroke_share = 0;  // distance from the previous request, as a share of the largest
  double measured_ms = 0;
  double predicted_ms = 0;
};

inline constexpr size_t kReadsPerWindow = 50;
inline constexpr size_t kMostReadPoints = 1500;

struct DriveJudgement {
  uint64_t reads = 0;
  double measured_ms = 0;  // the sum over all reads
  double predicted_ms = 0;
  double window_median_error = 0;  // share of the measured time
  double window_p90_error = 0;
  // Root mean square of the horizontal distance between the two cumulative curves.
  double distribution_ms = 0;
  std::vector<ReadWindow> windows;
  std::vector<ReadGroup> by_distance;  // from the end of the previous request
  std::vector<ReadGroup> by_size;
  std::vector<ReadGroup> by_kind;  // from memory, or from the medium
  std::vector<ReadPoint> points;   // at most kMostReadPoints of the reads, evenly chosen
  // Quantiles of the reads' times, at the same shares for both.
  std::vector<double> measured_quantiles_ms;
  std::vector<double> predicted_quantiles_ms;

  double sum_error() const { return measured_ms > 0 ? predicted_ms / measured_ms - 1 : 0; }
};

// Judges the reads from `first` on. Earlier requests only bring the drive into its state.
DriveJudgement judge_drive(const DriveProfile& profile, std::span<const ServedRequest> requests,
                           size_t first);

}  // namespace seekless

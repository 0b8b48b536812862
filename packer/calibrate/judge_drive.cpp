// Predicts served requests with a profile, and compares them with the measured times.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "packer/calibrate/drive_fit.h"
#include "packer/calibrate/internal/fit.h"
#include "packer/calibrate/internal/track_starts.h"
#include "packer/drive/drive.h"

namespace seekless {
namespace {

constexpr size_t kQuantiles = 200;
// A read that waits for an angle counts as this many reads, spread evenly over the turn.
constexpr size_t kAngles = 16;

constexpr uint64_t kKilobyte = 1024;
constexpr uint64_t kMegabyte = 1024 * kKilobyte;

struct Bound {
  double below;
  const char* name;
};

// Shares of the largest distance between two requests.
constexpr std::array kDistances = {Bound{0.001, "below 0.1 %"}, Bound{0.01, "0.1 to 1 %"},
                                   Bound{0.05, "1 to 5 %"},     Bound{0.2, "5 to 20 %"},
                                   Bound{0.5, "20 to 50 %"},    Bound{2, "50 % and more"}};

constexpr std::array kSizes = {
    Bound{4 * kKilobyte, "below 4 KiB"}, Bound{16 * kKilobyte, "4 to 16 KiB"},
    Bound{64 * kKilobyte, "16 to 64 KiB"}, Bound{256 * kKilobyte, "64 to 256 KiB"},
    Bound{std::numeric_limits<double>::infinity(), "256 KiB and more"}};

// Adds up reads in groups.
class Groups {
 public:
  explicit Groups(std::vector<std::string> names) {
    for (std::string& name : names) groups_.push_back({.name = std::move(name)});
  }

  void add(size_t group, double measured_ms, double predicted_ms) {
    ++groups_[group].reads;
    groups_[group].measured_ms += measured_ms;
    groups_[group].predicted_ms += predicted_ms;
  }

  // Returns the means of the groups that have reads.
  std::vector<ReadGroup> means() && {
    std::erase_if(groups_, [](const ReadGroup& group) { return group.reads == 0; });
    for (ReadGroup& group : groups_) {
      group.measured_ms /= static_cast<double>(group.reads);
      group.predicted_ms /= static_cast<double>(group.reads);
    }
    return std::move(groups_);
  }

 private:
  std::vector<ReadGroup> groups_;
};

template <size_t kCount>
std::vector<std::string> names_of(const std::array<Bound, kCount>& bounds,
                                  std::vector<std::string> first = {}) {
  for (const Bound& bound : bounds) first.emplace_back(bound.name);
  return first;
}

template <size_t kCount>
size_t group_of(const std::array<Bound, kCount>& bounds, double value) {
  size_t group = 0;
  while (group + 1 < kCount && value >= bounds[group].below) ++group;
  return group;
}

double distance_bytes(const ServedRequest& from, const ServedRequest& to) {
  return std::abs(static_cast<double>(to.position_bytes) -
                  static_cast<double>(from.position_bytes + from.length_bytes));
}

double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size()) - 0.5;
  const auto last = static_cast<double>(sorted.size() - 1);
  const double low = std::clamp(std::floor(at), 0.0, last);
  const double high = std::min(low + 1, last);
  const double part = std::clamp(at - low, 0.0, 1.0);
  return sorted[static_cast<size_t>(low)] * (1 - part) + sorted[static_cast<size_t>(high)] * part;
}

std::vector<double> quantiles_of(std::span<const double> sorted) {
  std::vector<double> found;
  for (size_t i = 0; i < kQuantiles; ++i)
    found.push_back(quantile(sorted, (static_cast<double>(i) + 0.5) / kQuantiles));
  return found;
}

class DriveJudge {
 public:
  DriveJudge(const DriveProfile& profile, std::span<const ServedRequest> requests, size_t first)
      : requests_(requests), first_(first) {
    for (const double start : track_starts(profile))
      predictions_.push_back(predict_requests(profile, requests, start));
    for (size_t i = 1; i < requests.size(); ++i)
      farthest_bytes_ = std::max(farthest_bytes_, distance_bytes(requests[i - 1], requests[i]));
  }

  DriveJudgement judge() {
    Groups by_distance(names_of(kDistances, {"in order"}));
    Groups by_size(names_of(kSizes));
    Groups by_kind({"from memory", "from the medium"});
    for (size_t i = first_; i < requests_.size(); ++i) {
      if (!requests_[i].is_read) continue;
      const double measured_ms = requests_[i].response_ms;
      const double predicted_ms = add_times(i);
      add_to_windows(measured_ms, predicted_ms);
      by_distance.add(distance_group(i), measured_ms, predicted_ms);
      by_size.add(group_of(kSizes, static_cast<double>(requests_[i].length_bytes)), measured_ms,
                  predicted_ms);
      by_kind.add(predictions_.front()[i].turn_ms > 0 ? 1 : 0, measured_ms, predicted_ms);
      judgement_.points.push_back({distance_share(i), measured_ms, predicted_ms});
    }
    thin_points();
    judgement_.by_distance = std::move(by_distance).means();
    judgement_.by_size = std::move(by_size).means();
    judgement_.by_kind = std::move(by_kind).means();
    finish_windows();
    finish_distribution();
    return std::move(judgement_);
  }

 private:
  double add_times(size_t request);
  void add_to_windows(double measured_ms, double predicted_ms);
  void finish_windows();
  void finish_distribution();

  double distance_share(size_t request) const {
    if (request == 0) return 0;
    return distance_bytes(requests_[request - 1], requests_[request]) / farthest_bytes_;
  }

  size_t distance_group(size_t request) const {
    const double share = distance_share(request);
    return share == 0 ? 0 : 1 + group_of(kDistances, share);
  }

  void thin_points() {
    std::vector<ReadPoint>& points = judgement_.points;
    if (points.size() <= kMostReadPoints) return;
    for (size_t i = 0; i < kMostReadPoints; ++i)
      points[i] = points[i * points.size() / kMostReadPoints];
    points.resize(kMostReadPoints);
  }

  std::span<const ServedRequest> requests_;
  size_t first_;
  double farthest_bytes_ = 1;
  std::vector<std::vector<PredictedRequest>> predictions_;  // one for each start of tracks
  std::vector<double> measured_ms_;
  std::vector<double> possible_ms_;  // the same number of possible times for each read
  ReadWindow window_;
  DriveJudgement judgement_;
};

// Adds the request's possible times, and returns their mean.
double DriveJudge::add_times(size_t request) {
  measured_ms_.push_back(requests_[request].response_ms);
  double sum_ms = 0;
  for (const auto& predicted : predictions_) {
    const PredictedRequest& one = predicted[request];
    for (size_t angle = 0; angle < kAngles; ++angle)
      possible_ms_.push_back(one.least_ms +
                             one.turn_ms * (static_cast<double>(angle) + 0.5) / kAngles);
    sum_ms += one.mean_ms();
  }
  return sum_ms / static_cast<double>(predictions_.size());
}

void DriveJudge::add_to_windows(double measured_ms, double predicted_ms) {
  judgement_.measured_ms += measured_ms;
  judgement_.predicted_ms += predicted_ms;
  window_.measured_ms += measured_ms;
  window_.predicted_ms += predicted_ms;
  if (++judgement_.reads % kReadsPerWindow != 0) return;
  judgement_.windows.push_back(window_);
  window_ = {};
}

void DriveJudge::finish_windows() {
  std::vector<double> errors;
  for (const ReadWindow& window : judgement_.windows)
    if (window.measured_ms > 0)
      errors.push_back(std::abs(window.predicted_ms / window.measured_ms - 1));
  if (errors.empty()) return;
  std::ranges::sort(errors);
  judgement_.window_median_error = quantile(errors, 0.5);
  judgement_.window_p90_error = quantile(errors, 0.9);
}

void DriveJudge::finish_distribution() {
  if (measured_ms_.empty()) return;
  std::ranges::sort(measured_ms_);
  std::ranges::sort(possible_ms_);
  const size_t count = measured_ms_.size();
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double apart_ms = measured_ms_[i] - quantile(possible_ms_, share);
    squares += apart_ms * apart_ms;
  }
  judgement_.distribution_ms = std::sqrt(squares / static_cast<double>(count));
  judgement_.measured_quantiles_ms = quantiles_of(measured_ms_);
  judgement_.predicted_quantiles_ms = quantiles_of(possible_ms_);
}

}  // namespace

std::vector<double> track_starts(const DriveProfile& profile) {
  constexpr int kStarts = 8;
  const auto* disk = std::get_if<HardDisk>(&profile.hardware);
  const int count = disk != nullptr && disk->reads_whole_tracks != 0 ? kStarts : 1;
  std::vector<double> starts;
  for (int i = 0; i < count; ++i) starts.push_back((i + 0.5) / count);
  return starts;
}

std::vector<PredictedRequest> predict_requests(const DriveProfile& profile,
                                               std::span<const ServedRequest> requests,
                                               double track_start) {
  Drive drive(profile, track_start, Drive::Turn::unknown);
  const auto* disk = std::get_if<HardDisk>(&profile.hardware);
  const double turn_ms = disk == nullptr ? 0 : 60e3 / disk->rpm;
  std::vector<PredictedRequest> predicted;
  predicted.reserve(requests.size());
  for (const ServedRequest& request : requests) {
    const double mean_ms = request.is_read
                               ? drive.read(request.position_bytes, request.length_bytes)
                               : drive.write(request.position_bytes, request.length_bytes);
    const Drive::Course& course = drive.course();
    const double wait_ms = course.is_chance ? turn_ms : 0;
    predicted.push_back({.least_ms = mean_ms - wait_ms / 2,
                         .turn_ms = wait_ms,
                         .seek_turns = course.seek_turns,
                         .seek_ms = course.seek_ms});
    drive.wait(request.pause_ms);
  }
  return predicted;
}

DriveJudgement judge_drive(const DriveProfile& profile, std::span<const ServedRequest> requests,
                           size_t first) {
  return DriveJudge(profile, requests, first).judge();
}

}  // namespace seekless

// Fits one figure after the other. Sequential reads give the overhead and the interface's rate,
// writes tell whether the drive's memory takes them, the seek curve follows by least squares, and
// the rest (read-ahead, memory, rates) is chosen so that the measured times are most likely.
#include "packer/calibrate/drive_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "packer/calibrate/internal/fit.h"
#include "packer/calibrate/internal/seek_regression.h"
#include "packer/calibrate/internal/track_starts.h"
#include "packer/drive/drive.h"
#include "packer/drive/profile_fields.h"

namespace seekless {
namespace {

constexpr double kFirstRpm = 7200;  // until the turn is found
constexpr double kFastestRpm = 15'000;
constexpr double kSlowestRpm = 3000;
// Drives rotate at one of these speeds. A found speed this near to one of them is replaced by it.
constexpr std::array kUsualRpms = {3600.0, 4500.0, 5400.0, 6400.0, 7200.0, 10'000.0, 15'000.0};
constexpr double kNearUsual = 0.08;

// The likelihood assumes that the model explains this share of the reads, and that others take up
// to kLongestTurns turns.
constexpr double kExplained = 0.95;
constexpr double kLongestTurns = 6;
constexpr double kBlurTurns = 0.05;        // usual blur of the edges of a turn
constexpr double kLateTurns = 1;           // a read this far past the edge had another cause
constexpr double kLeastSpreadMs = 0.01;    // smallest spread of reads from memory
constexpr double kUsualInterface = 300e6;  // bytes/s, if sequential reads don't show it
constexpr double kSmallOverheadMs = 0.1;
constexpr double kSata = 600e6;             // bytes/s
constexpr double kInterfaceSpread = 2;      // spread, as the logarithm of a factor
constexpr double kUsualReadAhead = 131072;  // bytes
constexpr double kAheadWeight = 0.3;        // for each doubling; decides only if nothing else does
constexpr double kFewestInOrder = 20;       // fewest reads that show the overhead
constexpr uint64_t kLongBytes = 64 * 1024;  // a sequential read this long waits for the medium
constexpr size_t kFewestLong = 20;          // fewest such reads that show the rates

// Tracks hold more bytes on larger drives. From the data sheets of ten drives of 1 GB to 4 TB, an
// outer track has about 53 kB * (capacity / GB)^0.45, and an inner one 0.6 of that.
constexpr double kTrackBytes = 53e3;
constexpr double kTrackGrowth = 0.45;
constexpr double kInnerShare = 0.6;
// Says how far drives deviate from that rule, as the logarithm of a factor.
constexpr double kRateSpread = 0.35;
constexpr double kInnerSpread = 0.15;

// The values that are tried.
constexpr std::array kFlags = {0.0, 1.0};
constexpr std::array kOverheads = {0.02, 0.05, 0.1, 0.2, 0.5, 1.0};
constexpr std::array kAhead = {0.0,      4096.0,   8192.0,   16'384.0,  32'768.0,  65'536.0,
                               98'304.0, 131072.0, 196608.0, 262'144.0, 524'288.0, 1'048'576.0};
constexpr std::array kBehind = {0.0,      4096.0,   8192.0,    16'384.0,   32'768.0,
                                65'536.0, 131072.0, 262'144.0, 1'048'576.0};
constexpr std::array kSegments = {1.0, 2.0, 3.0, 4.0, 8.0, 16.0};
constexpr std::array kNear = {0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
constexpr std::array kFactors = {0.5, 0.63, 0.8, 0.9, 1.1, 1.25, 1.6, 2.0};
constexpr std::array kInnerShares = {0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0};

struct UsualRates {
  double outer;
  double inner;
};

UsualRates usual_rates(const HardDisk& disk) {
  const double track_bytes =
      kTrackBytes * std::pow(static_cast<double>(disk.capacity_bytes) / 1e9, kTrackGrowth);
  const double outer = std::clamp(track_bytes * disk.rpm / 60, 1e6, 2e9);
  return {outer, std::max(1e6, outer * kInnerShare)};
}

// Fitting a line through all pairs takes long, and a few hundred points give the same line.
std::vector<Point> thinned(std::vector<Point> points) {
  constexpr size_t kMostPoints = 400;
  if (points.size() <= kMostPoints) return points;
  for (size_t i = 0; i < kMostPoints; ++i) points[i] = points[i * points.size() / kMostPoints];
  points.resize(kMostPoints);
  return points;
}

// Collects the times of reads that continue the previous one, by length.
class InOrderTimes {
 public:
  explicit InOrderTimes(std::span<const ServedRequest> requests) {
    for (size_t i = 1; i < requests.size(); ++i) {
      const ServedRequest& last = requests[i - 1];
      const ServedRequest& now = requests[i];
      if (!last.is_read || !now.is_read) continue;
      if (now.position_bytes != last.position_bytes + last.length_bytes) continue;
      by_length_[now.length_bytes].push_back(now.response_ms);
      ++count_;
    }
  }

  size_t count() const { return count_; }

  // Returns a point for each length: its lower quartile, which comes from memory.
  std::vector<Point> points() const {
    constexpr size_t kFewest = 5;
    std::vector<Point> found;
    for (auto [length_bytes, times] : by_length_) {
      if (times.size() < kFewest) continue;
      std::ranges::sort(times);
      found.push_back({.x = static_cast<double>(length_bytes), .y = times[times.size() / 4]});
    }
    return found;
  }

 private:
  std::map<uint64_t, std::vector<double>> by_length_;
  size_t count_ = 0;
};

double middle_of(std::span<const ServedRequest> requests, bool reads) {
  std::vector<double> times;
  for (const ServedRequest& request : requests)
    if (request.is_read == reads) times.push_back(request.response_ms);
  return median(std::move(times));
}

uint64_t end_of(std::span<const ServedRequest> requests) {
  uint64_t end_bytes = 0;
  for (const ServedRequest& request : requests)
    end_bytes = std::max(end_bytes, request.position_bytes + request.length_bytes);
  return end_bytes;
}

// Returns some slices of a long log, because they give the same fit in seconds instead of an hour.
std::vector<ServedRequest> slices_of(std::span<const ServedRequest> requests) {
  constexpr size_t kMostFitted = 10'000;
  constexpr size_t kSlices = 20;
  if (requests.size() <= kMostFitted) return {requests.begin(), requests.end()};
  std::vector<ServedRequest> out;
  constexpr size_t kInSlice = kMostFitted / kSlices;
  for (size_t i = 0; i < kSlices; ++i) {
    const auto slice = requests.subspan(i * (requests.size() - kInSlice) / (kSlices - 1), kInSlice);
    out.insert(out.end(), slice.begin(), slice.end());
  }
  return out;
}

std::array<double, 3> curve_at(const HardDisk& disk, const std::array<double, 3>& shares) {
  return {disk.seek_t0_ms + disk.seek_b_ms * std::sqrt(shares[0]),
          disk.seek_t0_ms + disk.seek_b_ms * std::sqrt(shares[1]),
          disk.seek_c_ms + disk.seek_e_ms * shares[2]};
}

// Sets the curve that has these times at these shares. The second share must be a quarter, where
// the parts meet. Returns false if no profile has such a curve.
bool set_curve(HardDisk& disk, const std::array<double, 3>& shares,
               const std::array<double, 3>& times) {
  disk.seek_b_ms = (times[1] - times[0]) / (std::sqrt(shares[1]) - std::sqrt(shares[0]));
  disk.seek_t0_ms = times[0] - disk.seek_b_ms * std::sqrt(shares[0]);
  disk.seek_e_ms = (times[2] - times[1]) / (shares[2] - shares[1]);
  disk.seek_c_ms = times[2] - disk.seek_e_ms * shares[2];
  return disk.seek_b_ms >= 0 && disk.seek_t0_ms >= 0.01 && disk.seek_e_ms >= 0 &&
         disk.seek_c_ms >= 0;
}

class DriveFitter {
 public:
  DriveFitter(std::span<const ServedRequest> requests, const DriveFitOptions& options,
              const std::string& file_name)
      : requests_(requests), options_(options), file_name_(file_name) {}

  Result<FittedDrive> fit() {
    disk_.rpm = options_.rpm > 0 ? options_.rpm : kFirstRpm;
    SKL_TRY_DO(begin());
    if (options_.rpm == 0) {
      choose_all();
      find_turn();
      SKL_TRY_DO(begin());
    }
    choose_from_each_start();
    choose_finely();
    SKL_TRY_DO(check());
    balance(sharpen());
    remark_on_delays();
    remark_on_rates();
    FittedDrive fitted = {.profile = profile(), .remarks = std::move(remarks_)};
    SKL_TRY_DO(check_profile(fitted.profile, file_name_));
    return fitted;
  }

 private:
  Result<void> begin();
  void begin_interface();
  void begin_rates();
  std::vector<Point> long_reads_in_order() const;
  bool begin_with_streams();
  void choose_from_each_start();
  void choose_all();
  void choose_others();
  void choose_memory();
  void choose_rates();
  void choose_finely();
  bool sharpen();
  bool move_curve(double step_ms);
  void balance(bool is_sharp);
  void find_turn();
  double median_off_ms(std::span<const PredictedRequest> predicted) const;
  void remark_on_delays();
  void remark_on_rates();
  Result<void> check() const;
  void refit_seeks();
  void refit_writes();
  double loss();
  double loss_now() const;
  double prior() const;
  double turn_ms() const { return 60e3 / disk_.rpm; }
  std::vector<double> times_from_medium() const;

  DriveProfile profile() const { return {.name = options_.profile_name, .hardware = disk_}; }

  // Tries each value of a figure, and keeps the one with the least loss.
  void choose(const std::function<void(HardDisk&, double)>& set, std::span<const double> values) {
    const HardDisk begun = disk_;
    for (const double value : values) {
      const HardDisk best = std::exchange(disk_, begun);
      set(disk_, value);
      const double found = loss();
      if (found < best_loss_)
        best_loss_ = found;
      else
        disk_ = best;
    }
  }

  std::span<const ServedRequest> requests_;
  const DriveFitOptions& options_;
  const std::string& file_name_;
  HardDisk disk_;
  double best_loss_ = 0;
  double blur_turns_ = kBlurTurns;
  std::vector<std::string> remarks_;
};

Result<void> DriveFitter::begin() {
  disk_ = HardDisk{.rpm = disk_.rpm};
  const uint64_t end_bytes = end_of(requests_);
  disk_.capacity_bytes = std::max<uint64_t>(1'000'000, options_.capacity_bytes);
  if (end_bytes > disk_.capacity_bytes)
    return damaged(
        {.file = file_name_,
         .expected = fmt::format("requests within the {} bytes of the drive", disk_.capacity_bytes),
         .found = fmt::format("one that ends at {}", end_bytes),
         .advice = "name the drive's capacity with --capacity, or leave that out"});
  disk_.seek_t0_ms = 1;
  disk_.seek_b_ms = disk_.seek_e_ms = 10;
  disk_.seek_c_ms = 3.5;
  disk_.read_ahead_bytes = 64 * 1024;
  begin_interface();
  begin_rates();
  const double read_ms = middle_of(requests_, true);
  const double write_ms = middle_of(requests_, false);
  // Writes end without a seek if the drive's memory takes them.
  constexpr double kTakenShare = 0.35;
  constexpr uint64_t kMostWrite = 1 << 30;
  if (write_ms > 0 && write_ms < kTakenShare * read_ms) disk_.write_cache_bytes = kMostWrite;
  best_loss_ = loss();
  return {};
}

void DriveFitter::begin_interface() {
  const InOrderTimes times(requests_);
  const std::vector<Point> points = times.points();
  disk_.interface_bytes_per_s = kUsualInterface;
  if (static_cast<double>(times.count()) < kFewestInOrder || points.empty()) return;
  disk_.overhead_ms = points.front().y;
  if (points.size() < 2) return;
  const FittedLine line = robust_line(points);
  if (line.slope <= 0) return;
  disk_.interface_bytes_per_s = std::clamp(1e3 / line.slope, 1e6, 1e11);
  disk_.overhead_ms = std::max(0.0, line.at_zero);
}

void DriveFitter::begin_rates() {
  const UsualRates usual = usual_rates(disk_);
  disk_.outer_bytes_per_s = usual.outer;
  disk_.inner_bytes_per_s = usual.inner;
}

// Returns the square of each long read's rate, by its share of the capacity.
std::vector<Point> DriveFitter::long_reads_in_order() const {
  std::vector<Point> squares;
  for (size_t i = 1; i < requests_.size(); ++i) {
    const ServedRequest& last = requests_[i - 1];
    const ServedRequest& now = requests_[i];
    const double ms = last.pause_ms + now.response_ms;
    if (!last.is_read || !now.is_read || now.length_bytes < kLongBytes || !(ms > 0) ||
        now.position_bytes != last.position_bytes + last.length_bytes)
      continue;
    const double rate = static_cast<double>(now.length_bytes) / ms * 1e3;
    squares.push_back(
        {.x = static_cast<double>(now.position_bytes) / static_cast<double>(disk_.capacity_bytes),
         .y = rate * rate});
  }
  return squares;
}

// Takes the rates from long sequential reads, which are as fast as the medium. Assumes a fast
// interface and a small overhead.
bool DriveFitter::begin_with_streams() {
  std::vector<Point> squares = long_reads_in_order();
  if (squares.size() < kFewestLong) return false;
  const FittedLine line = robust_line(thinned(std::move(squares)));
  if (!(line.at_zero > 0) || !(line.slope <= 0)) return false;
  disk_.outer_bytes_per_s = std::clamp(std::sqrt(line.at_zero), 1e6, 2e9);
  disk_.inner_bytes_per_s =
      std::clamp(std::sqrt(std::max(0.0, line.at(1))), 1e6, disk_.outer_bytes_per_s);
  disk_.interface_bytes_per_s = std::max(kSata, disk_.outer_bytes_per_s);
  disk_.overhead_ms = kSmallOverheadMs;
  return true;
}

// Figures that the requests don't show stay near their usual values.
double DriveFitter::prior() const {
  const UsualRates usual = usual_rates(disk_);
  const double outer = std::log(disk_.outer_bytes_per_s / usual.outer) / kRateSpread;
  const double inner =
      (disk_.inner_bytes_per_s / disk_.outer_bytes_per_s - kInnerShare) / kInnerSpread;
  const double ahead =
      std::abs(std::log2((static_cast<double>(disk_.read_ahead_bytes) + 2048) / kUsualReadAhead));
  const double interface = std::log(disk_.interface_bytes_per_s / kSata) / kInterfaceSpread;
  return (outer * outer + inner * inner + disk_.overhead_ms * disk_.overhead_ms +
          interface * interface) /
             2 +
         kAheadWeight * ahead;
}

void DriveFitter::refit_seeks() {
  const auto predicted = predict_requests(profile(), requests_, 0.5);
  const Drive drive(profile());
  SeekRegression regression(turn_ms());
  for (size_t i = 0; i < requests_.size(); ++i) {
    const PredictedRequest& one = predicted[i];
    if (!requests_[i].is_read || one.seek_turns <= 0) continue;
    const bool is_near = one.seek_turns <= static_cast<double>(disk_.near_tracks);
    regression.add(is_near, one.seek_turns / drive.capacity_turns(),
                   requests_[i].response_ms - one.mean_ms() + one.seek_ms);
  }
  regression.solve(disk_);
}

// Fits the overhead of writes, which doesn't affect reads.
void DriveFitter::refit_writes() {
  disk_.write_overhead_ms = 0;
  const auto predicted = predict_requests(profile(), requests_, 0.5);
  std::vector<double> rests;
  for (size_t i = 0; i < requests_.size(); ++i)
    if (!requests_[i].is_read) rests.push_back(requests_[i].response_ms - predicted[i].mean_ms());
  if (rests.empty()) return;
  disk_.write_overhead_ms = std::clamp(disk_.overhead_ms + median(std::move(rests)), 0.001, 100.0);
}

double DriveFitter::loss() {
  refit_seeks();
  refit_seeks();
  return loss_now();
}

// Returns the median difference between measured and predicted times of reads from the drive's
// memory.
double DriveFitter::median_off_ms(std::span<const PredictedRequest> predicted) const {
  std::vector<double> rests;
  for (size_t i = 0; i < requests_.size(); ++i)
    if (requests_[i].is_read && predicted[i].turn_ms == 0)
      rests.push_back(std::abs(requests_[i].response_ms - predicted[i].least_ms));
  return median(std::move(rests));
}

// Returns minus the logarithm of the likelihood of the reads' times.
double DriveFitter::loss_now() const {
  std::vector<std::vector<PredictedRequest>> predictions;
  for (const double start : track_starts(profile()))
    predictions.push_back(predict_requests(profile(), requests_, start));
  const double memory_off_ms = median_off_ms(predictions.front());
  const double spread_ms = std::max(kLeastSpreadMs, memory_off_ms / std::log(2));
  const double turn = turn_ms();
  const double blur_ms = blur_turns_ * turn;
  double sum = 0;
  double off_ms = 0;
  double variance = 1e-6;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (!requests_[i].is_read) continue;
    double density = 0;
    double mean_ms = 0;
    for (const auto& predicted : predictions) {
      const double above_ms = requests_[i].response_ms - predicted[i].least_ms;
      mean_ms += predicted[i].mean_ms() / static_cast<double>(predictions.size());
      variance += predicted[i].turn_ms * predicted[i].turn_ms / 12 /
                  static_cast<double>(predictions.size());
      if (predicted[i].turn_ms == 0)
        density += std::exp(-std::abs(above_ms) / spread_ms) / (2 * spread_ms);
      else
        density += (1 / (1 + std::exp(-above_ms / blur_ms)) -
                    1 / (1 + std::exp((turn - above_ms) / blur_ms))) /
                   turn;
    }
    density /= static_cast<double>(predictions.size());
    off_ms += mean_ms - requests_[i].response_ms;
    sum -= std::log(kExplained * density + (1 - kExplained) / (kLongestTurns * turn));
  }
  return sum + off_ms * off_ms / (2 * variance) + prior();
}

// Searches once from the interface's rate that short sequential reads show, and once from the rates
// that long ones show, because no search gets from one to the other.
void DriveFitter::choose_from_each_start() {
  HardDisk start = disk_;
  choose_all();
  const HardDisk found = std::exchange(disk_, start);
  const double found_loss = best_loss_;
  if (begin_with_streams()) {
    choose_all();
    if (best_loss_ < found_loss) return;
  }
  disk_ = found;
  best_loss_ = found_loss;
}

// Tries both kinds of read-ahead, because choices that suit one don't suit the other.
void DriveFitter::choose_all() {
  const HardDisk begun = disk_;
  choose_others();
  const HardDisk reads_on = std::exchange(disk_, begun);
  const double reads_on_loss = best_loss_;
  constexpr uint64_t kWholeTracks = 4 << 20;  // more than any track
  disk_.reads_whole_tracks = 1;
  disk_.segment_bytes = std::max(disk_.segment_bytes, kWholeTracks);
  choose_others();
  // Few drives do this, so a slightly better fit isn't enough to assume it.
  constexpr double kRare = 4;
  if (best_loss_ + kRare < reads_on_loss) return;
  disk_ = reads_on;
  best_loss_ = reads_on_loss;
}

void DriveFitter::choose_others() {
  best_loss_ = loss();
  constexpr int kFitRounds = 3;
  for (int round = 0; round < kFitRounds; ++round) {
    choose([](HardDisk& disk, double value) { disk.overhead_ms = value; }, kOverheads);
    choose([](HardDisk& disk, double value) { disk.sends_late = static_cast<uint64_t>(value); },
           kFlags);
    choose_memory();
    choose_rates();
    refit_writes();
    best_loss_ = loss();
  }
}

void DriveFitter::choose_memory() {
  choose(
      [](HardDisk& disk, double value) {
        const uint64_t behind =
            disk.segment_bytes - std::min(disk.segment_bytes, disk.read_ahead_bytes);
        disk.read_ahead_bytes = static_cast<uint64_t>(value);
        disk.segment_bytes = disk.read_ahead_bytes + behind;
      },
      kAhead);
  choose(
      [](HardDisk& disk, double value) {
        disk.segment_bytes = disk.read_ahead_bytes + static_cast<uint64_t>(value);
      },
      kBehind);
  choose([](HardDisk& disk, double value) { disk.near_tracks = static_cast<uint64_t>(value); },
         kNear);
  choose([](HardDisk& disk, double value) { disk.segments = static_cast<uint64_t>(value); },
         kSegments);
}

void DriveFitter::choose_rates() {
  choose(
      [](HardDisk& disk, double value) {
        const double factor =
            std::clamp(value, 1e6 / disk.inner_bytes_per_s, 2e9 / disk.outer_bytes_per_s);
        disk.outer_bytes_per_s *= factor;
        disk.inner_bytes_per_s *= factor;
      },
      kFactors);
  choose(
      [](HardDisk& disk, double value) {
        disk.inner_bytes_per_s = std::max(1e6, disk.outer_bytes_per_s * value);
      },
      kInnerShares);
}

// Adjusts the continuous figures in smaller and smaller steps.
void DriveFitter::choose_finely() {
  const std::array<std::function<void(HardDisk&, double)>, 4> kFigures = {
      [](HardDisk& disk, double factor) { disk.overhead_ms *= factor; },
      [](HardDisk& disk, double factor) {
        disk.interface_bytes_per_s = std::clamp(disk.interface_bytes_per_s * factor, 1e6, 1e11);
      },
      [](HardDisk& disk, double factor) {
        disk.outer_bytes_per_s =
            std::clamp(disk.outer_bytes_per_s * factor, disk.inner_bytes_per_s, 2e9);
      },
      [](HardDisk& disk, double factor) {
        disk.inner_bytes_per_s =
            std::clamp(disk.inner_bytes_per_s * factor, 1e6, disk.outer_bytes_per_s);
      }};
  for (const double step : {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002}) {
    const std::array factors = {1 / (1 + step), 1 + step};
    for (const auto& figure : kFigures) choose(figure, factors);
  }
  refit_writes();
  refit_seeks();
}

// Moves the seek times at three distances by a step each, as long as that helps. Returns whether
// any did.
bool DriveFitter::move_curve(double step_ms) {
  constexpr std::array kShares = {0.02, 0.25, 0.9};
  bool has_moved = false;
  for (size_t end = 0; end < kShares.size(); ++end)
    for (const double way : {-1.0, 1.0}) {
      const HardDisk begun = disk_;
      std::array<double, 3> times = curve_at(disk_, kShares);
      times[end] += way * step_ms;
      if (set_curve(disk_, kShares, times)) {
        const double found = loss_now();
        if (found < best_loss_) {
          best_loss_ = found;
          has_moved = true;
          continue;
        }
      }
      disk_ = begun;
    }
  return has_moved;
}

// If nothing but the angle is random, as on an emulated drive, the edges of the turn show the seek
// curve far more sharply than the mean does. Fits the curve to the edges, and returns true, if they
// are sharp.
bool DriveFitter::sharpen() {
  const HardDisk begun = disk_;
  const double blurred_loss = loss_now();
  constexpr int kMostMoves = 12;
  for (const double blur : {0.02, 0.01, 0.005, 0.002}) {
    blur_turns_ = blur;
    best_loss_ = loss_now();
    for (const double step : {1.0, 0.5, 0.25, 0.1}) {
      int moves = 0;
      while (moves < kMostMoves && move_curve(step * blur * turn_ms())) ++moves;
    }
  }
  blur_turns_ = kBlurTurns;
  if (best_loss_ < blurred_loss) return true;
  disk_ = begun;
  return false;
}

// Some reads take far longer than the model says, because the drive recalibrated or tried again.
// The median and the seek curve ignore these reads, but loads wait for them. So their mean extra
// time is added to the overhead. If the edges of a turn are sharp, the rest of the model is exact,
// and only reads beyond their edges are averaged: a mean over all reads would include the random
// angle of each.
void DriveFitter::balance(bool is_sharp) {
  double off_ms = 0;
  double sum_ms = 0;
  uint64_t reads = 0;
  for (const double start : track_starts(profile())) {
    const auto predicted = predict_requests(profile(), requests_, start);
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (!requests_[i].is_read) continue;
      const double rest_ms = requests_[i].response_ms - predicted[i].mean_ms();
      if (!is_sharp || rest_ms > predicted[i].turn_ms / 2 + kLateTurns * turn_ms())
        off_ms += rest_ms;
      sum_ms += requests_[i].response_ms;
      ++reads;
    }
  }
  constexpr double kMostShare = 0.05;  // more isn't a rare delay, but a model that doesn't fit
  const double most_ms = kMostShare * sum_ms;
  disk_.overhead_ms = std::clamp(
      disk_.overhead_ms + std::clamp(off_ms, -most_ms, most_ms) / static_cast<double>(reads), 0.0,
      100.0);
}

std::vector<double> DriveFitter::times_from_medium() const {
  const auto predicted = predict_requests(profile(), requests_, 0.5);
  std::vector<double> times;
  for (size_t i = 0; i < requests_.size(); ++i)
    if (requests_[i].is_read && predicted[i].turn_ms > 0) times.push_back(requests_[i].response_ms);
  std::ranges::sort(times);
  return times;
}

// Response times about the seek curve spread evenly over a turn.
void DriveFitter::find_turn() {
  const auto predicted = predict_requests(profile(), requests_, 0.5);
  std::vector<double> rests;
  for (size_t i = 0; i < requests_.size(); ++i)
    if (requests_[i].is_read && predicted[i].seek_turns > static_cast<double>(disk_.near_tracks))
      rests.push_back(requests_[i].response_ms - predicted[i].mean_ms());
  const double found_ms = spread_of_turn(rests, 60e3 / kFastestRpm / 2, 60e3 / kSlowestRpm);
  const double rpm = 60e3 / found_ms;
  const auto off = [&](double usual) { return std::abs(rpm / usual - 1); };
  const double nearest = *std::ranges::min_element(kUsualRpms, {}, off);
  disk_.rpm = off(nearest) < kNearUsual ? nearest : rpm;
  remarks_.push_back(fmt::format(
      "the times spread as at {:.0f} rpm, which may be off by a tenth or more; the profile has {}, "
      "and --rpm gives it exactly",
      rpm,
      disk_.rpm == rpm ? std::string("that")
                       : fmt::format("the usual speed near it, {:.0f}", nearest)));
}

// A drive answers from its memory in nearly the same time, whereas a busy computer's delays differ.
void DriveFitter::remark_on_delays() {
  constexpr double kQuietMs = 0.1;
  constexpr double kQuietShare = 0.4;  // share of the overhead; 0.02 to 0.27 on six real drives
  const double off_ms = median_off_ms(predict_requests(profile(), requests_, 0.5));
  if (off_ms < kQuietMs || off_ms < kQuietShare * disk_.overhead_ms) return;
  remarks_.push_back(fmt::format(
      "the times of reads from the drive's memory vary by {:.1f} ms. The computer was probably "
      "busy, and its delays are in the profile; record again while nothing else runs",
      off_ms));
}

// Sweeps depend on the rates, which short reads don't show.
void DriveFitter::remark_on_rates() {
  if (long_reads_in_order().size() >= kFewestLong) return;
  remarks_.push_back(fmt::format(
      "fewer than {} reads in order are {} KiB or longer, so the rates are those that "
      "explain short reads best, and may be off by half; 'drive calibrate' measures them",
      kFewestLong, kLongBytes / 1024));
}

// A disk's access times spread over a turn, and are never as short as this.
Result<void> DriveFitter::check() const {
  constexpr double kShortestMs = 1.5;
  constexpr double kLeastTurnSpreadMs = 0.7;  // spread between the quartiles
  const std::vector<double> times = times_from_medium();
  const size_t count = times.size();
  const bool is_enough = count >= kFewestFittedReads;
  if (is_enough && times[count / 2] >= kShortestMs &&
      times[count * 3 / 4] - times[count / 4] >= kLeastTurnSpreadMs)
    return {};
  return damaged(
      {.file = file_name_,
       .expected = fmt::format("at least {} reads for which a head moved", kFewestFittedReads),
       .found = is_enough ? fmt::format("{} reads with a median of {:.2f} ms, as on an SSD", count,
                                        times[count / 2])
                          : fmt::format("{}", count),
       .advice = is_enough ? "`seekless drive calibrate` measures SSDs"
                           : "record longer; reads from the system's memory aren't in a log"});
}

}  // namespace

Result<FittedDrive> fit_drive(std::span<const ServedRequest> requests,
                              const DriveFitOptions& options, const std::string& file_name) {
  const std::vector<ServedRequest> slices = slices_of(requests);
  DriveFitOptions whole = options;
  if (whole.capacity_bytes == 0) whole.capacity_bytes = end_of(requests);
  return DriveFitter(slices, whole, file_name).fit();
}

}  // namespace seekless

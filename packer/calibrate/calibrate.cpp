// Runs the stages of calibration in this order: check that it is a disk; rates over the zones;
// rotation; overhead, and the drive's own read-ahead and memory; seeks; random accesses to check
// the fit. Each stage uses the results of the stages before it.
#include "packer/calibrate/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "packer/calibrate/internal/drive_memory.h"
#include "packer/calibrate/internal/fit.h"
#include "packer/calibrate/internal/seek_curve.h"
#include "packer/drive/drive.h"

namespace seekless {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;
constexpr uint64_t kSmallBytes = kTimedReadAlignment;

// Each stage ends no later than at this share of the given time. The check has the rest.
constexpr double kRatesUntil = 0.3;
constexpr double kRatesGiveUp = 0.7;
constexpr double kRotationUntil = 0.4;
constexpr double kMemoryUntil = 0.6;
constexpr double kSeeksUntil = 0.85;

// A disk's access times spread over a turn (2 ms and more), with a mean of at least 1 ms.
constexpr uint64_t kDetectReads = 64;
constexpr double kSolidStateMs = 1.5;
constexpr double kSolidStateSpreadMs =
    0.7;  // share between the quartiles; a disk's spread is half a turn or more

constexpr uint64_t kShortRunBytes = 1 * kMiB;
constexpr uint64_t kLongRunBytes = 4 * kMiB;
constexpr int kRunPairs = 3;
constexpr uint64_t kRunBytes = kShortRunBytes + kRunPairs * (kShortRunBytes + kLongRunBytes);
constexpr uint64_t kMostRatePlaces = 33;
constexpr uint64_t kFewestRatePlaces = 5;

constexpr double kFastestTurnMs = 60e3 / 20000;
constexpr double kSlowestTurnMs = 60e3 / 3000;
constexpr int kTurnIntervals = 120;
constexpr int kFewestTurnIntervals = 60;
// Steps go backward, so that the drive's read-ahead doesn't help.
constexpr uint64_t kTurnStepBytes = 8 * kKiB;

constexpr int kOverheadPlaces = 24;
// The fastest of this many reads waited only for the drive.
constexpr size_t kReadsPerFast = 50;
constexpr uint64_t kSeeksPerWait = 4;  // after this many seeks, the computer's own work is sampled
constexpr uint64_t kWaitReads = 3;     // in order; the drive has the last one in its memory
constexpr uint64_t kOverheadReads = 16;
constexpr uint64_t kLargestReadAhead = 16 * kMiB;
constexpr uint64_t kSmallestReadAhead = 32 * kKiB;
constexpr double kIdleTurns = 3;  // a drive reads ahead at least for so long
constexpr double kIdleReserve = 1.25;

constexpr double kSata6Gbit = 600e6;

// If the fit is worse than these, the profile isn't usable. Published fits have seeks within 0.3 ms
// and rates within 3 %.
constexpr double kWorstRatesShare = 0.1;
constexpr double kWorstRotationShare = 0.45;
constexpr double kWorstSeekShare = 0.15;
constexpr double kWorstSlowShare = 0.35;
constexpr double kWorstAccessShare = 0.15;

// Returns 0, 1, 1/2, 1/4, 3/4, 1/8, ..., so that the disk is covered evenly wherever the series
// stops.
double spread_share(uint64_t index) {
  if (index < 2) return static_cast<double>(index);
  double share = 0;
  double digit = 0.5;
  for (uint64_t rest = index - 1; rest > 0; rest >>= 1, digit /= 2)
    share += digit * static_cast<double>(rest & 1);
  return share;
}

struct Rates {
  double outer_bytes_per_s = 0;
  double inner_bytes_per_s = 0;
  double rms_share = 0;
  uint64_t places = 0;

  double at(double share) const {
    const double outer = outer_bytes_per_s;
    const double inner = inner_bytes_per_s;
    return std::sqrt(std::max(0.0, outer * outer - (outer - inner) * (outer + inner) * share));
  }
  // These convert a share of the bytes to a radial position (0 at the outer edge, 1 at the inner
  // one) and back. They follow from turn(p) in drive.h.
  double radius_of(double share) const {
    return share * (outer_bytes_per_s + inner_bytes_per_s) / (outer_bytes_per_s + at(share));
  }
  double share_at(double radius) const {
    const double outer = outer_bytes_per_s;
    const double inner = inner_bytes_per_s;
    return radius * (2 * outer - radius * (outer - inner)) / (outer + inner);
  }
};

class Calibrator {
 public:
  Calibrator(TimedDevice& device, const CalibrationOptions& options, CalibrateProgress progress)
      : options_(options), probe_(device, options.seconds, std::move(progress)) {}

  Result<Calibration> run() {
    if (probe_.size_bytes() < kMinCalibratedBytes)
      return failed(
          {.file = probe_.device().name(),
           .expected = fmt::format("at least {} bytes to measure on", kMinCalibratedBytes),
           .found = fmt::format("{}", probe_.device().size_bytes()),
           .advice = "take the drive itself, or a larger file on it"});
    SKL_TRY(const auto is_solid, is_solid_state());
    SKL_TRY_DO(measure_rates());
    SKL_TRY_DO(is_solid ? measure_solid_state() : measure_disk());
    calibration_.profile.name = options_.profile_name;
    calibration_.counters = probe_.counters();
    calibration_.seconds = probe_.seconds_over();
    calibration_.rate_places = rates_.places;
    calibration_.error.rates_rms_share = rates_.rms_share;
    SKL_TRY_DO(check_fit());
    return std::move(calibration_);
  }

 private:
  Result<void> measure_disk() {
    for (const auto stage : {&Calibrator::measure_rotation, &Calibrator::measure_overhead,
                             &Calibrator::measure_read_ahead, &Calibrator::measure_own_memory,
                             &Calibrator::measure_seeks, &Calibrator::check_access})
      SKL_TRY_DO((this->*stage)());
    return {};
  }

  Result<std::vector<double>> random_accesses(uint64_t reads);
  Result<bool> is_solid_state();
  Result<void> measure_rates();
  Result<std::optional<Point>> rate_at(double share);
  Result<void> measure_solid_state();
  Result<void> measure_rotation();
  Result<void> measure_overhead();
  Result<void> measure_read_ahead();
  Result<double> read_after(uint64_t gap_bytes);
  Result<void> measure_own_memory();
  Result<void> measure_seeks();
  Result<void> add_access(uint64_t position_bytes, std::vector<Access>& into);
  Result<void> add_wait(uint64_t position_bytes, std::vector<double>& into_ms);
  Result<void> to_disk(const SeekCurve& curve);
  Result<void> check_access();
  Result<void> check_fit() const;
  double longest_hit_ms() const;
  double ahead_ms(uint64_t length_bytes) const;
  uint64_t segment_bytes() const;

  double share_of(uint64_t position_bytes) const {
    return static_cast<double>(position_bytes) / static_cast<double>(probe_.size_bytes());
  }
  double transfer_ms(const Sample& sample) const {
    return static_cast<double>(sample.length_bytes) / rates_.at(share_of(sample.position_bytes)) *
           1e3;
  }
  std::unexpected<Error> noise(std::string place, std::string expected, std::string found) const {
    return failed({.file = probe_.device().name(),
                   .place = std::move(place),
                   .expected = std::move(expected),
                   .found = std::move(found),
                   .advice = "no profile is written; stop whatever else uses the drive, or allow "
                             "more --seconds"});
  }

  const CalibrationOptions& options_;
  Probe probe_;
  Calibration calibration_;
  Rates rates_;
  double turn_ms_ = 0;
  double overhead_ms_ = 0;
  uint64_t read_ahead_bytes_ = 0;
  // 0 if it couldn't be measured; read_ahead_bytes_ is then the usual value
  uint64_t seen_ahead_bytes_ = 0;
  DriveMemory memory_;
  bool reads_ahead_ = false;
  std::optional<uint64_t> head_bytes_;  // the last place read, while seeks are measured
};

// Measures the time of reads of 4 KiB at random places.
Result<std::vector<double>> Calibrator::random_accesses(uint64_t reads) {
  std::vector<double> found_ms;
  for (uint64_t i = 0; i < reads && probe_.share_over() < 1; ++i) {
    SKL_TRY(const auto sample,
            probe_.read(probe_.fresh_place(probe_.random_share(), kSmallBytes), kSmallBytes));
    if (sample.timed.is_good) found_ms.push_back(sample.timed.ms());
  }
  std::ranges::sort(found_ms);
  return found_ms;
}

Result<bool> Calibrator::is_solid_state() {
  probe_.begin("looking for a moving head");
  SKL_TRY(const auto found_ms, random_accesses(kDetectReads));
  const size_t count = found_ms.size();
  if (count < kDetectReads / 2)
    return noise("random reads", fmt::format("{} that succeed", kDetectReads / 2),
                 fmt::format("{} in the time given", count));
  const double spread_ms = found_ms[count * 3 / 4] - found_ms[count / 4];
  return found_ms[count / 2] < kSolidStateMs || spread_ms < kSolidStateSpreadMs;
}

// Makes a run of sequential reads, alternately short and long. The extra time of a long read is
// spent on the medium; all other costs are equal in both and cancel out.
Result<std::optional<Point>> Calibrator::rate_at(double share) {
  const uint64_t begin_bytes = probe_.fresh_place(share, kRunBytes);
  uint64_t position_bytes = begin_bytes;
  std::array<std::vector<double>, 2> found_ms;
  double last_end_ms = 0;
  for (int i = 0; i <= 2 * kRunPairs; ++i) {
    const bool is_long = i > 0 && i % 2 == 0;
    const uint64_t length_bytes = is_long ? kLongRunBytes : kShortRunBytes;
    SKL_TRY(const auto sample, probe_.read(position_bytes, length_bytes));
    if (!sample.timed.is_good) return std::nullopt;
    if (i > 0) found_ms[is_long].push_back(sample.timed.end_ms - last_end_ms);
    last_end_ms = sample.timed.end_ms;
    position_bytes += length_bytes;
  }
  const double more_ms = median(found_ms[1]) - median(found_ms[0]);
  if (more_ms <= 0) return std::nullopt;
  return Point{.x = share_of(begin_bytes + kRunBytes / 2),
               .y = static_cast<double>(kLongRunBytes - kShortRunBytes) / more_ms * 1e3};
}

// Fits the square of the rate, which falls linearly with the position (drive.h).
Result<void> Calibrator::measure_rates() {
  probe_.begin("measuring rates");
  std::vector<Point> found;
  for (uint64_t i = 0; i < kMostRatePlaces; ++i) {
    if (probe_.share_over() > (found.size() < kFewestRatePlaces ? kRatesGiveUp : kRatesUntil))
      break;
    SKL_TRY(const auto point, rate_at(spread_share(i)));
    if (point) found.push_back(*point);
  }
  rates_.places = found.size();
  if (found.size() < kFewestRatePlaces)
    return noise("rates", fmt::format("{} places", kFewestRatePlaces),
                 fmt::format("{} in the time given", found.size()));
  std::vector<Point> squares = found;
  for (Point& point : squares) point.y *= point.y;
  FittedLine line = robust_line(squares);
  if (line.slope > 0) {
    std::vector<double> levels;
    for (const Point& point : squares) levels.push_back(point.y);
    line = {.at_zero = median(levels), .slope = 0};
  }
  if (line.at(1) <= 0)
    return noise("rates", "a rate at the last byte above zero", "rates that fall below");
  rates_.outer_bytes_per_s = std::sqrt(line.at_zero);
  rates_.inner_bytes_per_s = std::sqrt(line.at(1));
  std::vector<double> rests;
  for (const Point& point : found) rests.push_back(std::abs(point.y / rates_.at(point.x) - 1));
  std::ranges::sort(rests);
  rests.resize(rests.size() - rests.size() / 10);  // drops the tenth that was disturbed most
  double sum = 0;
  for (const double rest : rests) sum += rest * rest;
  rates_.rms_share = std::sqrt(sum / static_cast<double>(rests.size()));
  return {};
}

Result<void> Calibrator::measure_solid_state() {
  constexpr uint64_t kReads = 2000;
  probe_.begin("measuring latency");
  SKL_TRY(const auto found_ms, random_accesses(kReads));
  if (found_ms.empty()) return noise("latency", "random reads", "none in the time given");
  const double middle_ms = found_ms[found_ms.size() / 2];
  const double bytes_per_s = rates_.at(0.5);
  const double latency_ms = std::max(0.0001, middle_ms - kSmallBytes / bytes_per_s * 1e3);
  calibration_.profile.hardware =
      SolidState{.latency_ms = latency_ms, .bytes_per_s = std::round(bytes_per_s)};
  calibration_.error.measured_access_ms = middle_ms;
  calibration_.error.predicted_access_ms = latency_ms + kSmallBytes / bytes_per_s * 1e3;
  calibration_.remarks.emplace_back(
      "no place takes longer than another: the drive is solid state, or a cache answers");
  return {};
}

// Two reads at the same angle are whole turns apart, whatever the head did in between. So this
// moves from one place to another and back, to just beside the first.
Result<void> Calibrator::measure_rotation() {
  constexpr double kFarthest = 0.75;
  probe_.begin("measuring rotation");
  const uint64_t span_bytes = kTurnIntervals * kTurnStepBytes;
  const uint64_t begin_bytes = probe_.fresh_place(0.2, span_bytes + kSmallBytes);
  const double turn_rate = rates_.at(share_of(begin_bytes));
  std::vector<double> intervals_ms;
  std::optional<double> last_end_ms;
  for (int i = 0; i <= kTurnIntervals; ++i) {
    if (i > kFewestTurnIntervals && probe_.share_over() > kRotationUntil) break;
    const uint64_t back_bytes = static_cast<uint64_t>(i) * kTurnStepBytes;
    SKL_TRY(const auto near, probe_.read(begin_bytes + span_bytes - back_bytes, kSmallBytes));
    if (near.timed.is_good && last_end_ms)
      intervals_ms.push_back(near.timed.end_ms - *last_end_ms + kTurnStepBytes / turn_rate * 1e3);
    last_end_ms = near.timed.is_good ? std::optional(near.timed.end_ms) : std::nullopt;
    const double away = kFarthest * static_cast<double>(i + 1) / (kTurnIntervals + 1);
    SKL_TRY_DROP(probe_.read(probe_.fresh_place(0.2 + away, kSmallBytes), kSmallBytes));
  }
  const Period turn = find_period(intervals_ms, kFastestTurnMs, kSlowestTurnMs);
  calibration_.error.rotation_share = turn.share;
  if (turn.share < kWorstRotationShare)
    return noise(
        "rotation",
        fmt::format("at least {} % of intervals to be whole turns", kWorstRotationShare * 100),
        fmt::format("{:.0f} %", turn.share * 100));
  turn_ms_ = turn.ms;
  return {};
}

// Small sequential reads come from the drive's own memory, so they cost only command and host time.
// The fastest ones show the overhead. Most take longer because of the computer's own work, and on a
// busy computer, this time is part of every other measurement, too.
Result<void> Calibrator::measure_overhead() {
  probe_.begin("measuring overhead");
  std::vector<double> found_ms;
  for (int place = 0; place < kOverheadPlaces; ++place) {
    const uint64_t begin_bytes =
        probe_.fresh_place(probe_.random_share(), kOverheadReads * kSmallBytes);
    for (uint64_t i = 0; i < kOverheadReads; ++i) {
      SKL_TRY(const auto sample, probe_.read(begin_bytes + i * kSmallBytes, kSmallBytes));
      if (i > 1 && sample.timed.is_good) found_ms.push_back(sample.timed.ms());
    }
  }
  std::ranges::sort(found_ms);
  const double usual_ms = median(found_ms);
  reads_ahead_ = !found_ms.empty() && usual_ms < turn_ms_ / 4;
  if (reads_ahead_) {
    overhead_ms_ = found_ms[found_ms.size() / kReadsPerFast];
    calibration_.computer_ms = usual_ms - overhead_ms_;
  } else {
    calibration_.remarks.emplace_back(
        "the drive doesn't read ahead, so its overhead can't be separated from its shortest seek: "
        "overhead_ms is 0, seek_t0_ms and seek_c_ms contain it");
  }
  return {};
}

// A read from the drive's memory doesn't wait for the platter.
double Calibrator::longest_hit_ms() const {
  return overhead_ms_ + calibration_.computer_ms + turn_ms_ / 8;
}

// Returns how long the drive takes at most to read so many bytes ahead.
double Calibrator::ahead_ms(uint64_t length_bytes) const {
  const double innermost_ms = static_cast<double>(length_bytes) / rates_.inner_bytes_per_s * 1e3;
  return std::max(kIdleTurns * turn_ms_, kIdleReserve * innermost_ms);
}

// Makes two sequential reads, waits for the drive to read ahead, and then reads beyond a gap.
Result<double> Calibrator::read_after(uint64_t gap_bytes) {
  uint64_t position_bytes =
      probe_.fresh_place(probe_.random_share(), 2 * kSmallBytes + kLargestReadAhead);
  for (int i = 0; i < 2; ++i, position_bytes += kSmallBytes)
    SKL_TRY_DROP(probe_.read(position_bytes, kSmallBytes));
  probe_.wait(ahead_ms(gap_bytes));
  SKL_TRY(const auto sample,
          probe_.read(position_bytes + gap_bytes - 2 * kSmallBytes, kSmallBytes));
  return sample.timed.is_good ? sample.timed.ms() : turn_ms_;
}

Result<void> Calibrator::measure_read_ahead() {
  constexpr int kTries = 5;
  if (!reads_ahead_) return {};
  probe_.begin("measuring read-ahead");
  for (uint64_t gap = kSmallestReadAhead; gap <= kLargestReadAhead; gap *= 2) {
    std::vector<double> found_ms;
    for (int i = 0; i < kTries; ++i) {
      SKL_TRY(const auto ms, read_after(gap));
      found_ms.push_back(ms);
    }
    if (median(std::move(found_ms)) > longest_hit_ms()) break;
    read_ahead_bytes_ = gap;
  }
  seen_ahead_bytes_ = read_ahead_bytes_;
  if (read_ahead_bytes_ > 0) return {};
  constexpr uint64_t kUsualBytes = 256 * kKiB;
  read_ahead_bytes_ = kUsualBytes;
  calibration_.remarks.emplace_back(
      "how far the drive reads ahead couldn't be seen; read_ahead_bytes is the usual 256 KiB");
  return {};
}

Result<void> Calibrator::measure_own_memory() {
  if (!reads_ahead_) return {};
  probe_.begin("measuring the drive's memory");
  const double half_ahead_ms =
      static_cast<double>(seen_ahead_bytes_) / 2 / rates_.outer_bytes_per_s * 1e3;
  SKL_TRY(const auto found, measure_memory(probe_, {.hit_ms = longest_hit_ms(),
                                                    .read_ahead_bytes = seen_ahead_bytes_,
                                                    .ahead_ms = ahead_ms(seen_ahead_bytes_),
                                                    .half_ahead_ms = half_ahead_ms,
                                                    .until_share = kMemoryUntil}));
  memory_ = found;
  if (memory_.is_least)
    calibration_.remarks.emplace_back(
        "the drive's memory holds more than could be measured in the time given, so segments and "
        "segment_bytes are lower limits");
  return {};
}

// Adds the access from the head's previous place, if that is known and far enough away.
Result<void> Calibrator::add_access(uint64_t position_bytes, std::vector<Access>& into) {
  SKL_TRY(const auto sample, probe_.read(position_bytes, kSmallBytes));
  const bool is_known = head_bytes_.has_value();
  const uint64_t from_bytes = head_bytes_.value_or(0);
  head_bytes_ = sample.timed.is_good ? std::optional(position_bytes) : std::nullopt;
  if (!is_known || !sample.timed.is_good) return {};
  const uint64_t gap_bytes =
      std::max(from_bytes, position_bytes) - std::min(from_bytes, position_bytes);
  // Over shorter distances, a read may come from the drive's memory, or the head may pass over the
  // gap instead of seeking.
  if (gap_bytes < std::max(8 * kMiB, 2 * read_ahead_bytes_)) return {};
  into.push_back({.stroke_share = std::abs(rates_.radius_of(share_of(from_bytes)) -
                                           rates_.radius_of(share_of(position_bytes))),
                  .ms = sample.timed.ms() - transfer_ms(sample)});
  return {};
}

// Continues reading after a place, and adds the time of a read from the drive's memory.
Result<void> Calibrator::add_wait(uint64_t position_bytes, std::vector<double>& into_ms) {
  for (uint64_t i = 1; i <= kWaitReads; ++i) {
    const uint64_t at_bytes = position_bytes + i * kSmallBytes;
    SKL_TRY(const auto sample, probe_.read(at_bytes, kSmallBytes));
    head_bytes_ = sample.timed.is_good ? std::optional(at_bytes) : std::nullopt;
    const bool is_hit = sample.timed.is_good && sample.timed.ms() < turn_ms_ / 2;
    if (i == kWaitReads && is_hit) into_ms.push_back(sample.timed.ms());
  }
  return {};
}

// Moves there and back over distances that cover both parts of the curve. The seek to each starting
// place is a sample, too. The computer's load changes, so its own work is measured meanwhile.
Result<void> Calibrator::measure_seeks() {
  probe_.begin("measuring seeks");
  std::vector<Access> accesses;
  std::vector<double> waits_ms;
  size_t waits = 0;
  head_bytes_.reset();
  for (uint64_t i = 0; probe_.share_over() < kSeeksUntil; ++i) {
    const double along = spread_share(i / 2 % 1024 + 2);
    const double distance = i % 2 == 0 ? 0.25 * along * along : 0.25 + 0.75 * along;
    const double outer = probe_.random_share() * (1 - distance);
    const bool is_inwards = probe_.random_share() < 0.5;
    for (const bool is_inner : {!is_inwards, is_inwards}) {
      const double radius = outer + (is_inner ? distance : 0);
      const uint64_t place =
          probe_.fresh_place(rates_.share_at(radius), (1 + kWaitReads) * kSmallBytes);
      const size_t before = accesses.size();
      SKL_TRY_DO(add_access(place, accesses));
      if (!reads_ahead_ || accesses.size() == before || before % kSeeksPerWait != 0) continue;
      ++waits;
      SKL_TRY_DO(add_wait(place, waits_ms));
    }
  }
  // If most of these reads miss, the drive reads ahead only after more sequential reads.
  if (waits_ms.size() * 2 > waits)
    calibration_.computer_ms = std::max(0.0, median(std::move(waits_ms)) - overhead_ms_);
  calibration_.seek_samples = accesses.size();
  const auto curve = fit_seek_curve(accesses, turn_ms_);
  if (!curve)
    return noise("seeks", "samples of every distance",
                 fmt::format("{} samples in the time given", accesses.size()));
  return to_disk(*curve);
}

// Returns 0, which means the drive's read-ahead, if the measured length is about the same.
uint64_t Calibrator::segment_bytes() const {
  const bool is_longer = memory_.segment_bytes > read_ahead_bytes_ + read_ahead_bytes_ / 4;
  return is_longer ? memory_.segment_bytes : 0;
}

Result<void> Calibrator::to_disk(const SeekCurve& curve) {
  constexpr double kLeastSeekMs = 0.01;
  constexpr double kPrecision = 1e4;  // further digits would mean nothing
  const auto rounded = [](double value) { return std::round(value * kPrecision) / kPrecision; };
  // These were measured separately. They can't exceed the shortest access.
  const double shortest_ms = std::max(0.0, curve.near.at_zero - kLeastSeekMs);
  calibration_.computer_ms = std::min(calibration_.computer_ms, shortest_ms);
  overhead_ms_ = std::min(overhead_ms_, shortest_ms - calibration_.computer_ms);
  const double beside_ms = overhead_ms_ + calibration_.computer_ms;
  HardDisk disk = {.rpm = std::round(60e3 / turn_ms_ * 10) / 10,
                   .capacity_bytes = probe_.device().size_bytes(),
                   .outer_bytes_per_s = std::round(rates_.outer_bytes_per_s),
                   .inner_bytes_per_s = std::round(rates_.inner_bytes_per_s),
                   .seek_t0_ms = std::max(kLeastSeekMs, rounded(curve.near.at_zero - beside_ms)),
                   .seek_b_ms = rounded(curve.near.slope),
                   .seek_c_ms = rounded(curve.far.at_zero - beside_ms),
                   .seek_e_ms = rounded(curve.far.slope),
                   .overhead_ms = rounded(overhead_ms_),
                   .read_ahead_bytes = read_ahead_bytes_,
                   .segments = memory_.segments,
                   .segment_bytes = segment_bytes(),
                   .interface_bytes_per_s = std::max(kSata6Gbit, rates_.outer_bytes_per_s)};
  calibration_.error.seek_rms_ms = curve.rms_ms;
  calibration_.profile = {.name = options_.profile_name, .hardware = disk};
  calibration_.remarks.emplace_back(
      "interface_bytes_per_s isn't measured; it is that of SATA at 6 Gbit/s, or the outer rate");
  auto checked = check_profile(calibration_.profile, probe_.device().name());
  if (!checked) return noise("fit", "a profile in its ranges", checked.error().message);
  return {};
}

Result<void> Calibrator::check_access() {
  constexpr double kMarginMs = 1;
  probe_.begin("checking");
  const Drive drive(calibration_.profile);
  uint64_t slow = 0;
  uint64_t counted = 0;
  double sum_ms = 0;
  constexpr uint64_t kFewestChecks = 64;
  for (uint64_t i = 0; i < kFewestChecks || probe_.share_over() < 1; ++i) {
    const uint64_t place = probe_.fresh_place(probe_.random_share(), kSmallBytes);
    const auto from_bytes = head_bytes_;
    SKL_TRY(const auto sample, probe_.read(place, kSmallBytes));
    head_bytes_ = sample.timed.is_good ? std::optional(place) : std::nullopt;
    if (!from_bytes || !sample.timed.is_good) continue;
    const double longest_ms =
        drive.access_ms(*from_bytes, place) + calibration_.computer_ms + turn_ms_ / 2 + kMarginMs;
    const double access_ms = sample.timed.ms() - transfer_ms(sample);
    if (access_ms > longest_ms) {
      ++slow;
    } else {
      ++counted;
      sum_ms += access_ms;
    }
  }
  FitError& error = calibration_.error;
  if (counted > 0) error.measured_access_ms = sum_ms / static_cast<double>(counted);
  error.predicted_access_ms = drive.average_access_ms() + calibration_.computer_ms;
  error.slow_share =
      static_cast<double>(slow) / static_cast<double>(std::max<uint64_t>(1, slow + counted));
  return {};
}

Result<void> Calibrator::check_fit() const {
  const FitError& error = calibration_.error;
  const bool is_disk = std::holds_alternative<HardDisk>(calibration_.profile.hardware);
  if (is_disk && error.rates_rms_share > kWorstRatesShare)
    return noise("fit of rates", fmt::format("{} % rms at most", kWorstRatesShare * 100),
                 fmt::format("{:.1f} %", error.rates_rms_share * 100));
  if (is_disk && error.seek_rms_ms > kWorstSeekShare * error.predicted_access_ms)
    return noise("fit of seeks",
                 fmt::format("{:.2f} ms rms at most", kWorstSeekShare * error.predicted_access_ms),
                 fmt::format("{:.2f} ms", error.seek_rms_ms));
  if (error.slow_share > kWorstSlowShare)
    return noise(
        "random accesses",
        fmt::format("at most {} % that the drive alone can't explain", kWorstSlowShare * 100),
        fmt::format("{:.0f} %", error.slow_share * 100));
  const double off_ms = std::abs(error.predicted_access_ms - error.measured_access_ms);
  const double bearable_ms = kWorstAccessShare * error.measured_access_ms;
  if (!(off_ms <= (is_disk ? bearable_ms : std::max(bearable_ms, kSolidStateSpreadMs))))
    return noise("access time", fmt::format("{:.2f} ms as measured", error.measured_access_ms),
                 fmt::format("{:.2f} ms from the fit", error.predicted_access_ms));
  return check_profile(calibration_.profile, probe_.device().name());
}

}  // namespace

Result<Calibration> calibrate(TimedDevice& device, const CalibrationOptions& options,
                              CalibrateProgress progress) {
  return Calibrator(device, options, std::move(progress)).run();
}

}  // namespace seekless

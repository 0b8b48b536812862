#include "packer/calibrate/calibrate_on_files.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "packer/calibrate/internal/fit.h"
#include "packer/drive/drive.h"

namespace seekless {
namespace {

using WallMilliseconds = std::chrono::duration<double, std::milli>;

constexpr uint64_t kPieceReadBytes = kTimedReadAlignment;
constexpr size_t kMostFiles = 64;
constexpr size_t kFewestGoodReads = 32;
constexpr size_t kProbeReads = 64;
// These limits are those of calibrate.cpp: a disk's accesses take longer, and spread over a turn.
constexpr double kNoHeadMs = 1.5;
constexpr double kNoHeadSpreadMs = 0.7;
constexpr uint64_t kFarBytes = uint64_t{8} << 20;  // nearer places may come from the drive's cache
constexpr uint64_t kBackStepBytes = 8192;
constexpr size_t kTurns = 100;
constexpr double kFastestMs = 60e3 / 20000;
constexpr double kSlowestMs = 60e3 / 3000;
constexpr double kTurnsShare = 0.5;  // share of intervals that must be whole turns
constexpr size_t kRatePlaces = 8;
constexpr int kRateReads = 6;
constexpr uint64_t kLongestShortBytes = uint64_t{1} << 20;
constexpr uint64_t kLeastRateBytes = uint64_t{4} << 20;
constexpr int kSeekReads = 400;

class FileCalibrator {
 public:
  FileCalibrator(TimedDevice& device, std::span<const ReadableStretch> stretches,
                 const DriveProfile& usual, double seconds, const CalibrateProgress& progress)
      : device_(device),
        stretches_(stretches.begin(), stretches.end()),
        usual_(usual),
        disk_(std::get<HardDisk>(usual.hardware)),
        end_ms_(device.now_ms() + seconds * 1e3),
        seconds_(seconds),
        progress_(progress) {
    std::ranges::stable_sort(stretches_, std::ranges::greater{}, &ReadableStretch::length_bytes);
    for (const ReadableStretch& stretch : stretches_) all_bytes_ += stretch.length_bytes;
  }

  Result<AdjustedProfile> run() {
    found_.profile = usual_;
    SKL_TRY(const auto is_solid, is_solid_state());
    if (is_solid) return std::move(found_);
    SKL_TRY_DO(measure_overhead());
    SKL_TRY_DO(measure_rates());
    SKL_TRY_DO(measure_turn());
    SKL_TRY_DO(measure_seeks());
    found_.profile.hardware = disk_;
    SKL_TRY_DO(check_profile(found_.profile, device_.name()));
    return std::move(found_);
  }

 private:
  bool is_over() const { return device_.now_ms() > end_ms_; }

  Result<std::optional<TimedRead>> read(uint64_t place, uint64_t bytes, std::string_view what) {
    if (progress_)
      progress_(what, std::clamp(1 - (end_ms_ - device_.now_ms()) / 1e3 / seconds_, 0.0, 1.0));
    SKL_TRY(const auto timed, device_.read(place, bytes));
    ++found_.reads;
    if (!timed.is_good) return std::optional<TimedRead>();
    return std::optional(timed);
  }

  uint64_t random_below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_);
  }

  // Every readable block is as likely as any other.
  uint64_t random_place() {
    uint64_t at = random_below(all_bytes_);
    for (const ReadableStretch& stretch : stretches_) {
      if (at < stretch.length_bytes)
        return stretch.begin_bytes + at / kPieceReadBytes * kPieceReadBytes;
      at -= stretch.length_bytes;
    }
    return stretches_.back().begin_bytes;
  }

  Result<bool> is_solid_state() {
    std::vector<double> found_ms;
    for (size_t i = 0; i < kProbeReads && !is_over(); ++i) {
      SKL_TRY(const auto timed, read(random_place(), kPieceReadBytes, "looking for a moving head"));
      if (timed) found_ms.push_back(timed->ms());
    }
    if (found_ms.size() < kFewestGoodReads)
      return failed({.file = device_.name(),
                     .expected = fmt::format("{} reads that succeed", kFewestGoodReads),
                     .found = fmt::format("{}", found_ms.size()),
                     .advice = "name the drive's profile with --drive"});
    std::ranges::sort(found_ms);
    const double middle_ms = found_ms[found_ms.size() / 2];
    const double spread_ms = found_ms[found_ms.size() * 3 / 4] - found_ms[found_ms.size() / 4];
    if (middle_ms >= kNoHeadMs && spread_ms >= kNoHeadSpreadMs) return false;
    found_.profile.hardware =
        SolidState{.latency_ms = std::max(0.0001, middle_ms), .bytes_per_s = 500e6};
    return true;
  }

  // Small reads in sequence come from the drive's own memory.
  Result<void> measure_overhead() {
    std::vector<double> found_ms;
    for (size_t i = 0; i < std::min<size_t>(6, stretches_.size()); ++i) {
      const ReadableStretch& stretch = stretches_[i];
      const uint64_t reads = std::min<uint64_t>(16, stretch.length_bytes / kPieceReadBytes);
      for (uint64_t k = 0; k < reads; ++k) {
        SKL_TRY(const auto timed, read(stretch.begin_bytes + k * kPieceReadBytes, kPieceReadBytes,
                                       "measuring commands"));
        if (timed && k > 1) found_ms.push_back(timed->ms());
      }
    }
    const double middle_ms = median(found_ms);
    if (!found_ms.empty() && middle_ms < turn_ms() / 4)
      disk_.overhead_ms = middle_ms;
    else
      found_.remarks.emplace_back("the time of a command couldn't be seen");
    return {};
  }

  // The extra time of a long read is spent on the medium; all other costs cancel out. Returns the
  // rate as a multiple of the usual profile's; none if a place can't be read.
  Result<std::optional<double>> rate_factor(const ReadableStretch& stretch) {
    const uint64_t small_bytes = std::min<uint64_t>(kLongestShortBytes, stretch.length_bytes / 16) /
                                 kPieceReadBytes * kPieceReadBytes;
    std::vector<double> short_ms, long_ms;
    double last_end_ms = 0;
    uint64_t at = stretch.begin_bytes;
    for (int i = 0; i <= kRateReads; ++i) {
      const bool is_long = i > 0 && i % 2 == 0;
      const uint64_t bytes = is_long ? 4 * small_bytes : small_bytes;
      SKL_TRY(const auto timed, read(at, bytes, "measuring rates"));
      if (!timed) return std::nullopt;
      if (i > 0) (is_long ? long_ms : short_ms).push_back(timed->end_ms - last_end_ms);
      last_end_ms = timed->end_ms;
      at += bytes;
    }
    const double more_ms = median(long_ms) - median(short_ms);
    if (more_ms <= 0) return std::nullopt;
    return static_cast<double>(3 * small_bytes) / more_ms * 1e3 /
           Drive(usual_).rate_bytes_per_s(stretch.begin_bytes);
  }

  Result<void> measure_rates() {
    std::vector<double> factors;
    for (const ReadableStretch& stretch : stretches_) {
      if (stretch.length_bytes < kLeastRateBytes || factors.size() >= kRatePlaces) break;
      SKL_TRY(const auto factor, rate_factor(stretch));
      if (factor) factors.push_back(*factor);
    }
    if (factors.empty()) {
      found_.remarks.emplace_back("no file is long enough to show the drive's rate");
      return {};
    }
    found_.has_measured_rate = true;
    const double factor = std::clamp(median(factors), 0.1, 10.0);
    disk_.outer_bytes_per_s *= factor;
    disk_.inner_bytes_per_s *= factor;
    disk_.interface_bytes_per_s = std::max(disk_.interface_bytes_per_s, disk_.outer_bytes_per_s);
    return {};
  }

  double turn_ms() const { return 60e3 / disk_.rpm; }

  // Going from a place, away, and back to just before it takes a whole number of turns.
  Result<void> measure_turn() {
    const uint64_t steps =
        std::min<uint64_t>(kTurns, stretches_.front().length_bytes / kBackStepBytes);
    const double step_ms = kBackStepBytes / disk_.outer_bytes_per_s * 1e3;
    std::vector<double> intervals_ms;
    std::optional<double> last_end_ms;
    for (uint64_t i = steps; i-- > 0 && !is_over();) {
      SKL_TRY(const auto near, read(stretches_.front().begin_bytes + i * kBackStepBytes,
                                    kPieceReadBytes, "measuring rotation"));
      if (near && last_end_ms) intervals_ms.push_back(near->end_ms - *last_end_ms + step_ms);
      last_end_ms = near ? std::optional(near->end_ms) : std::nullopt;
      SKL_TRY_DROP(read(random_place(), kPieceReadBytes, "measuring rotation"));
    }
    if (intervals_ms.size() >= kTurns / 2) {
      const Period turn = find_period(intervals_ms, kFastestMs, kSlowestMs);
      if (turn.share >= kTurnsShare) {
        disk_.rpm = std::round(60e3 / turn.ms * 10) / 10;
        return {};
      }
    }
    found_.remarks.emplace_back("the time of a turn couldn't be seen");
    return {};
  }

  // Holds a random access over a distance that no cache covers.
  struct SeenSeek {
    double measured_ms = 0;  // without the times for command, half a turn and bytes
    double expected_ms = 0;  // time on the usual curve
  };

  Result<std::vector<SeenSeek>> random_seeks() {
    DriveProfile so_far = usual_;
    so_far.hardware = disk_;
    const Drive drive(so_far);
    std::vector<SeenSeek> seeks;
    std::optional<uint64_t> from;
    for (int i = 0; i < kSeekReads && !is_over(); ++i) {
      const uint64_t place = random_place();
      SKL_TRY(const auto timed, read(place, kPieceReadBytes, "measuring seeks"));
      const auto came_from = std::exchange(from, timed ? std::optional(place) : std::nullopt);
      if (!came_from || !timed) continue;
      if (std::max(*came_from, place) - std::min(*came_from, place) < kFarBytes) continue;
      const SeenSeek seek = {.measured_ms = timed->ms() - disk_.overhead_ms - turn_ms() / 2 -
                                            drive.sweep_ms(place, kPieceReadBytes),
                             .expected_ms = drive.seek_ms(*came_from, place)};
      // A read that takes two turns longer has waited for another program.
      if (seek.measured_ms < seek.expected_ms * 3 + 2 * turn_ms()) seeks.push_back(seek);
    }
    return seeks;
  }

  // An access takes the command, the seek, and half a turn on average. Scales the usual curve by
  // one factor, so that its mean is that of the measured seeks.
  Result<void> measure_seeks() {
    SKL_TRY(const auto seeks, random_seeks());
    double measured_ms = 0;
    double expected_ms = 0;
    for (const SeenSeek& seek : seeks) {
      measured_ms += seek.measured_ms;
      expected_ms += seek.expected_ms;
    }
    if (seeks.size() < kFewestGoodReads || expected_ms <= 0) {
      found_.remarks.emplace_back("the files lie too near each other to show the drive's seeks");
      return {};
    }
    const double factor = std::clamp(measured_ms / expected_ms, 0.2, 4.0);
    for (double* part : {&disk_.seek_t0_ms, &disk_.seek_b_ms, &disk_.seek_c_ms, &disk_.seek_e_ms})
      *part *= factor;
    return {};
  }

  TimedDevice& device_;
  std::vector<ReadableStretch> stretches_;  // the longest first
  uint64_t all_bytes_ = 0;
  const DriveProfile& usual_;
  HardDisk disk_;
  const double end_ms_;
  const double seconds_;
  const CalibrateProgress& progress_;
  AdjustedProfile found_;
  std::mt19937_64 random_{1};  // seeded, so that places are the same every time
};

}  // namespace

Result<FilesAsDrive> FilesAsDrive::open(std::vector<FileExtents> files, uint64_t capacity_bytes) {
  std::ranges::stable_sort(files, std::ranges::greater{}, &FileExtents::size_bytes);
  FilesAsDrive drive;
  drive.capacity_bytes_ = capacity_bytes;
  for (const FileExtents& file : files) {
    if (drive.files_.size() == kMostFiles) break;
    SKL_TRY(auto direct, DirectFile::open(file.path, kMaxTimedReadBytes));
    drive.name_ = file.path;
    for (const Extent& piece : file.extents) {
      const uint64_t whole = piece.length_bytes / kPieceReadBytes * kPieceReadBytes;
      const bool fits = piece.place_bytes + whole <= capacity_bytes &&
                        piece.offset_bytes + whole <= direct.size_bytes();
      if (whole == 0 || !fits || piece.place_bytes % kPieceReadBytes != 0) continue;
      const bool is_new =
          drive.pieces_.emplace(piece.place_bytes, FilePiece{drive.files_.size(), piece}).second;
      if (is_new) drive.stretches_.push_back({piece.place_bytes, whole});
    }
    drive.files_.push_back(std::make_unique<DirectFile>(std::move(direct)));
  }
  if (drive.stretches_.empty())
    return failed({.file = files.empty() ? "the content" : files.front().path,
                   .expected = "files whose places the file system tells",
                   .found = "none",
                   .advice = "name the drive's profile with --drive"});
  return drive;
}

double FilesAsDrive::now_ms() const {
  return WallMilliseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<TimedRead> FilesAsDrive::read(uint64_t position_bytes, uint64_t length_bytes) {
  const auto after = pieces_.upper_bound(position_bytes);
  if (after == pieces_.begin())
    return failed({.file = name_, .expected = "a place of a file", .found = "another"});
  const FilePiece& piece = std::prev(after)->second;
  TimedRead timed = {.begin_ms = now_ms()};
  SKL_TRY(timed.is_good, files_[piece.file]->read(piece.extent.offset_bytes +
                                                      (position_bytes - piece.extent.place_bytes),
                                                  length_bytes));
  timed.end_ms = now_ms();
  return timed;
}

void FilesAsDrive::wait(double idle_ms) {
  std::this_thread::sleep_for(WallMilliseconds(idle_ms));
}

Result<AdjustedProfile> calibrate_on_files(TimedDevice& device,
                                           std::span<const ReadableStretch> stretches,
                                           const DriveProfile& usual, double seconds,
                                           const CalibrateProgress& progress) {
  return FileCalibrator(device, stretches, usual, seconds, progress).run();
}

}  // namespace seekless

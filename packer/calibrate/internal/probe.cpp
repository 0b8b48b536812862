#include "packer/calibrate/internal/probe.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace seekless {
namespace {

constexpr uint64_t kSmallestCellBytes = uint64_t{64} << 10;
constexpr uint64_t kLargestCellBytes = uint64_t{1} << 20;
constexpr uint64_t kCells = uint64_t{1} << 15;  // far more than the reads of a minute

// A few bad places do no harm. If a tenth of all reads fail, the rest is doubtful.
constexpr uint64_t kBearableFailures = 16;
constexpr uint64_t kReadsPerFailure = 10;

uint64_t aligned(uint64_t bytes) {
  return bytes / kTimedReadAlignment * kTimedReadAlignment;
}

}  // namespace

Probe::Probe(TimedDevice& device, double seconds, CalibrateProgress progress)
    : device_(device),
      size_bytes_(aligned(device.size_bytes())),
      begun_ms_(device.now_ms()),
      seconds_(seconds),
      progress_(std::move(progress)),
      cell_bytes_(
          aligned(std::clamp(size_bytes_ / kCells, kSmallestCellBytes, kLargestCellBytes))) {}

double Probe::seconds_over() const {
  return (device_.now_ms() - begun_ms_) / 1e3;
}

double Probe::share_over() const {
  return seconds_over() / seconds_;
}

double Probe::random_share() {
  constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53: the same on every platform
  return static_cast<double>(random_() >> 11) * kScale;
}

Result<Sample> Probe::read(uint64_t position_bytes, uint64_t length_bytes) {
  if (progress_) progress_(what_, std::min(1.0, share_over()));
  SKL_TRY(const auto timed, device_.read(position_bytes, length_bytes));
  ++counters_.reads;
  counters_.bytes += timed.is_good ? length_bytes : 0;
  counters_.failed_reads += timed.is_good ? 0 : 1;
  if (counters_.failed_reads > kBearableFailures &&
      counters_.failed_reads * kReadsPerFailure > counters_.reads)
    return failed(
        {.file = device_.name(),
         .place = fmt::format("byte {}", position_bytes),
         .expected = "hardly any place that can't be read",
         .found = fmt::format("{} of {} reads failed", counters_.failed_reads, counters_.reads),
         .advice = "see the drive's health (smartctl) and the kernel's log"});
  return Sample{position_bytes, length_bytes, timed};
}

Result<Sample> Probe::read_again(uint64_t position_bytes) {
  ++counters_.repeated_reads;
  return read(position_bytes, kTimedReadAlignment);
}

bool Probe::is_fresh(uint64_t first_cell, uint64_t cells) const {
  for (uint64_t cell = first_cell; cell < first_cell + cells; ++cell)
    if (read_cells_.contains(cell)) return false;
  return true;
}

uint64_t Probe::fresh_place(double share, uint64_t length_bytes) {
  const uint64_t cells = (length_bytes + cell_bytes_ - 1) / cell_bytes_;
  const uint64_t last_cell = size_bytes_ / cell_bytes_ - cells;
  const auto wanted =
      static_cast<uint64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(last_cell));
  uint64_t cell = wanted;
  for (uint64_t away = 0; away <= last_cell; ++away) {
    if (wanted + away <= last_cell && is_fresh(wanted + away, cells)) {
      cell = wanted + away;
      break;
    }
    if (away <= wanted && is_fresh(wanted - away, cells)) {
      cell = wanted - away;
      break;
    }
  }
  for (uint64_t i = 0; i < cells; ++i) read_cells_.insert(cell + i);
  // Chooses a random place within the free cells, because places in step with the tracks would all
  // have the same angle.
  const uint64_t spare_bytes = cells * cell_bytes_ - length_bytes;
  return cell * cell_bytes_ +
         aligned(static_cast<uint64_t>(random_share() * static_cast<double>(spare_bytes)));
}

}  // namespace seekless

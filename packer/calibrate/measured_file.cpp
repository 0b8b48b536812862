#include "packer/calibrate/measured_file.h"

#include <chrono>
#include <span>
#include <thread>

#include <fmt/format.h>

#include "packer/drive/fragmentation.h"

namespace seekless {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

}  // namespace

double WallClockDevice::now_ms() const {
  return Milliseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<TimedRead> WallClockDevice::read(uint64_t position_bytes, uint64_t length_bytes) {
  TimedRead timed = {.begin_ms = now_ms()};
  SKL_TRY(const auto is_good, file_.read(position_bytes, length_bytes));
  timed.end_ms = now_ms();
  timed.is_good = is_good;
  return timed;
}

void WallClockDevice::wait(double idle_ms) {
  std::this_thread::sleep_for(Milliseconds(idle_ms));
}

std::optional<Lie> lie_of(const DirectFile& file) {
  if (file.is_device()) return std::nullopt;
  const auto extents = read_extents(file.name());
  if (!extents) return std::nullopt;
  const Fragmentation of = measure_fragmentation(std::span(&*extents, 1));
  return Lie{of.fragments, of.bytes + extents->inline_bytes};
}

std::vector<std::string> warnings_of(const DirectFile& file, const std::optional<Lie>& lie) {
  if (file.is_device()) return {};
  std::vector<std::string> warnings = {
      fmt::format("{} is a file: capacity, rates and seeks are those of its own range of the drive",
                  file.name())};
  if (lie && lie->pieces > 1)
    warnings.push_back(
        fmt::format("{} lies in {} pieces; distances within it aren't those on the drive",
                    file.name(), lie->pieces));
  if (lie && lie->stored_bytes < file.size_bytes())
    warnings.push_back(
        fmt::format("{} of {} bytes of {} were never written, so reading them doesn't "
                    "reach the drive; fill the file first",
                    file.size_bytes() - lie->stored_bytes, file.size_bytes(), file.name()));
  return warnings;
}

}  // namespace seekless

#include "packer/prove/drive_of_disk.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/calibrate/calibrate_on_files.h"
#include "packer/calibrate/measured_file.h"
#include "packer/host/direct_file.h"
#include "packer/host/interrupt.h"

namespace seekless {
namespace {

constexpr const char* kMeasuredName = "measured";
constexpr double kShareAfterDevice = 0.25;  // share of the time for files if the device fails

// Returns a typical disk of the device's size. Larger disks have denser tracks, so the rates are
// measured. Seeks hardly depend on the size, so they are only adjusted.
DriveProfile usual_disk(const std::optional<HostDevice>& device,
                        const std::vector<FileExtents>& files) {
  DriveProfile usual = builtin_profiles().front();
  usual.name = kMeasuredName;
  auto& disk = std::get<HardDisk>(usual.hardware);
  if (device && device->size_bytes > 0) disk.capacity_bytes = device->size_bytes;
  for (const FileExtents& file : files)
    for (const Extent& piece : file.extents)
      disk.capacity_bytes = std::max(disk.capacity_bytes, piece.place_bytes + piece.length_bytes);
  return usual;
}

Result<MeasuredDisk> measure_device(DirectFile& device, double seconds,
                                    const CalibrateProgress& progress) {
  WallClockDevice timed(device);
  SKL_TRY(auto found,
          calibrate(timed, {.profile_name = kMeasuredName, .seconds = seconds}, progress));
  // Each read of a load is charged the same computer time as the measured reads.
  if (auto* disk = std::get_if<HardDisk>(&found.profile.hardware))
    disk->overhead_ms += found.computer_ms;
  return MeasuredDisk{
      .profile = std::move(found.profile), .has_measured_rate = true, .remarks = {}};
}

Result<MeasuredDisk> measure_files(const std::optional<HostDevice>& device,
                                   std::vector<FileExtents> files, double seconds,
                                   const CalibrateProgress& progress) {
  const DriveProfile usual = usual_disk(device, files);
  SKL_TRY(auto drive,
          FilesAsDrive::open(std::move(files), std::get<HardDisk>(usual.hardware).capacity_bytes));
  SKL_TRY(auto found, calibrate_on_files(drive, drive.stretches(), usual, seconds, progress));
  std::vector<std::string> remarks;
  if (!found.remarks.empty())
    remarks.push_back(
        fmt::format("Taken from the usual profile, since {}.", fmt::join(found.remarks, ", ")));
  return MeasuredDisk{.profile = std::move(found.profile),
                      .source = ProvenDriveSource::files,
                      .has_measured_rate = found.has_measured_rate,
                      .remarks = std::move(remarks)};
}

}  // namespace

Result<MeasuredDisk> measure_disk(const std::optional<HostDevice>& device,
                                  std::vector<FileExtents> files, double seconds,
                                  const CalibrateProgress& progress) {
  std::string device_error;
  if (device && device->size_bytes >= kMinCalibratedBytes)
    if (auto whole = DirectFile::open(device->path, kMaxTimedReadBytes)) {
      auto measured = measure_device(*whole, seconds, progress);
      if (measured || is_interrupted()) return measured;
      device_error = std::move(measured).error().message;
      // Drops the advice, which names options that only 'drive calibrate' has.
      device_error.resize(std::min(device_error.size(), device_error.find("; ")));
      seconds *= kShareAfterDevice;
    }
  auto measured = measure_files(device, std::move(files), seconds, progress);
  if (!measured && !device_error.empty() && !is_interrupted())
    return failed({.file = device->path,
                   .expected = "a drive that fits a profile, or files that show enough of it",
                   .found = device_error,
                   .advice = "name a profile with --drive"});
  if (!measured) return measured;
  measured->remarks.insert(
      measured->remarks.begin(),
      device_error.empty()
          ? "Only files could be read, not the whole drive, so a usual profile was adjusted to it."
          : "No profile fits what the whole drive showed, so a usual one was adjusted to what its "
            "files show.");
  measured->device_error = std::move(device_error);
  return measured;
}

}  // namespace seekless

// seekless drive calibrate: measures a drive and writes its profile.
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/drive_calibrate_answer.h"
#include "packer/calibrate/calibrate.h"
#include "packer/calibrate/measured_file.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_command.h"
#include "packer/command/internal/live_line.h"
#include "packer/drive/profile_fields.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"

namespace seekless {
namespace {

struct DriveCalibrateArguments {
  std::string device;
  std::string output;
  std::string name = "measured";
  double seconds = 60;
  Output answer;
};

Result<void> check_name(const DriveCalibrateArguments& arguments) {
  if (is_profile_name(arguments.name)) return {};
  return wrong_usage({.file = "--name",
                      .expected = std::string(kNameRule),
                      .found = fmt::format("'{}'", arguments.name)});
}

Result<void> check_arguments(const DriveCalibrateArguments& arguments) {
  SKL_TRY_DO(check_name(arguments));
  if (canonical_path(arguments.output) == canonical_path(arguments.device))
    return wrong_usage({.file = arguments.output,
                        .expected = "another file than the one to measure",
                        .found = "the same"});
  return {};
}

Result<Calibration> measure(DirectFile& file, const DriveCalibrateArguments& arguments) {
  WallClockDevice device(file);
  TerminalLine line;
  int last_percent = -1;
  return calibrate(device, {.profile_name = arguments.name, .seconds = arguments.seconds},
                   [&](std::string_view what, double share) {
                     const int percent = static_cast<int>(share * 100);
                     if (std::exchange(last_percent, percent) != percent)
                       line.draw(fmt::format("{:3} %  {}", percent, what));
                   });
}

Result<Calibration> measure_far(const DriveCalibrateArguments& arguments) {
  SKL_TRY(const auto figures, measure_network(arguments.device, arguments.seconds));
  Calibration found = {.profile = network_profile(arguments.name, figures)};
  found.network = figures;
  found.error.measured_access_ms = found.error.predicted_access_ms = figures.round_trip_ms;
  found.counters.reads = figures.reads;
  found.counters.bytes = figures.bytes;
  found.seconds = figures.seconds;
  return found;
}

Result<void> write_profile(const DriveCalibrateArguments& arguments, CalibrateAnswer told,
                           PendingFile& output) {
  arguments.answer.line(to_text(told));
  SKL_TRY_DO(output.append(to_json(told.found.profile)));
  SKL_TRY_DO(output.commit());
  return arguments.answer.result(to_json(told));
}

Result<void> run(const DriveCalibrateArguments& arguments) {
  // A network server may not answer, so nothing else accesses the file until measure_far()
  // succeeds.
  if (lies_on_network(arguments.device)) {
    SKL_TRY_DO(check_name(arguments));
    SKL_TRY(auto profile, PendingFile::create(arguments.output));
    SKL_TRY(auto found, measure_far(arguments));
    SKL_TRY_DO(check_arguments(arguments));
    return write_profile(arguments,
                         {.device = arguments.device,
                          .is_file = true,
                          .output = arguments.output,
                          .found = std::move(found)},
                         profile);
  }
  SKL_TRY_DO(check_arguments(arguments));
  SKL_TRY(auto file, DirectFile::open(arguments.device, kMaxTimedReadBytes));
  // The output file is created before the measurement, which takes a minute, so that an error is
  // noticed at once.
  SKL_TRY(auto output, PendingFile::create(arguments.output));
  const std::optional<Lie> lie = lie_of(file);
  const Output& answer = arguments.answer;
  for (const std::string& warning : warnings_of(file, lie)) answer.warn(warning);
  SKL_TRY(auto found, measure(file, arguments));
  for (const std::string& remark : found.remarks) answer.warn(remark);
  if (found.counters.failed_reads > 0)
    answer.warn(fmt::format("{} reads failed and were left out; check the drive's health",
                            found.counters.failed_reads));
  return write_profile(arguments,
                       {.device = arguments.device,
                        .is_file = !file.is_device(),
                        .output = arguments.output,
                        .pieces = lie ? std::optional<uint64_t>(lie->pieces) : std::nullopt,
                        .found = std::move(found)},
                       output);
}

}  // namespace

void add_calibrate(const Command& drive) {
  auto arguments = std::make_shared<DriveCalibrateArguments>();
  const Command command =
      drive.add("calibrate", "Measure a drive, read-only, and write its profile");
  command.option({.name = "DEVICE",
                  .takes = "DEVICE|FILE",
                  .help = "A block device (usually readable only by root), a file of at least 1 "
                          "GiB on the drive, or a file in a network folder",
                  .is_required = true},
                 arguments->device);
  command.option(
      {.name = "-o,--output",
       .takes = "PROFILE.json",
       .help = "Output file for the profile, to use with --drive; an existing file is replaced",
       .is_required = true},
      arguments->output);
  command.option({.name = "--name", .takes = "NAME", .help = "Name to give the profile"},
                 arguments->name);
  command.option({.name = "--seconds",
                  .help = "How long to measure; longer is more exact",
                  .range = OptionRange{kMinCalibrationSeconds, kMaxCalibrationSeconds}},
                 arguments->seconds);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless drive calibrate /dev/sda -o sda.json");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless

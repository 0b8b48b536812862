// seekless drive calibrate: measures a drive and writes its profile.
// Result: {command, device, is_file, pieces, output, profile, fit, reads, bytes, failed_reads,
// seconds, remarks}
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include <fmt/format.h>

#include "packer/calibrate/calibrate.h"
#include "packer/command/command.h"
#include "packer/command/drive_command.h"
#include "packer/drive/profile_fields.h"
#include "packer/extents/fragmentation.h"
#include "packer/host/direct_file.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"

namespace seekless {
namespace {

struct Arguments {
  std::string device;
  std::string output;
  std::string name = "measured";
  double seconds = 60;
  Output answer;
};

// The real device, by the wall's clock.
class WallClockDevice final : public TimedDevice {
 public:
  explicit WallClockDevice(DirectFile& file) : file_(file) {}
  const std::string& name() const override { return file_.name(); }
  uint64_t size_bytes() const override { return file_.size_bytes(); }
  double now_ms() const override {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  Result<TimedRead> read(uint64_t position_bytes, uint64_t length_bytes) override {
    TimedRead timed = {.begin_ms = now_ms()};
    const auto is_good = file_.read(position_bytes, length_bytes);
    if (!is_good) return std::unexpected(is_good.error());
    timed.end_ms = now_ms();
    timed.is_good = *is_good;
    return timed;
  }
  void wait(double idle_ms) override {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(idle_ms));
  }

 private:
  DirectFile& file_;
};

// One line on a terminal, and nothing elsewhere.
class StageLine {
 public:
  StageLine() : is_shown_(is_terminal(StandardStream::error)) {}
  StageLine(const StageLine&) = delete;
  StageLine& operator=(const StageLine&) = delete;
  ~StageLine() {
    if (last_percent_ >= 0) say(fmt::format("\r{:{}}\r", "", terminal_width() - 1));
  }
  void show(std::string_view what, double share) {
    const int percent = static_cast<int>(share * 100);
    if (!is_shown_ || percent == last_percent_) return;
    last_percent_ = percent;
    const size_t columns = terminal_width() - 1;
    say(fmt::format("\r{:<{}.{}}", fmt::format("{:3} %  {}", percent, what), columns, columns));
  }

 private:
  bool is_shown_;
  int last_percent_ = -1;
};

Result<void> check_arguments(const Arguments& arguments) {
  if (!(arguments.seconds >= kMinCalibrationSeconds && arguments.seconds <= kMaxCalibrationSeconds))
    return wrong_usage({.file = "--seconds",
                        .expected = fmt::format("a number from {} to {}", kMinCalibrationSeconds,
                                                kMaxCalibrationSeconds),
                        .found = fmt::format("{}", arguments.seconds)});
  if (!is_profile_name(arguments.name))
    return wrong_usage({.file = "--name",
                        .expected = std::string(kNameRule),
                        .found = fmt::format("'{}'", arguments.name)});
  if (canonical_path(arguments.output) == canonical_path(arguments.device))
    return wrong_usage({.file = arguments.output,
                        .expected = "another file than the one to measure",
                        .found = "the same"});
  return {};
}

// How a file lies on its drive, as far as its file system tells.
struct Lie {
  uint64_t pieces = 0;        // between which the head moves
  uint64_t stored_bytes = 0;  // the rest are holes, or were never written
};

std::optional<Lie> lie_of(const DirectFile& file) {
  if (file.is_device()) return std::nullopt;
  const auto extents = read_extents(file.name());
  if (!extents) return std::nullopt;
  const Fragmentation of = measure_fragmentation(std::span(&*extents, 1));
  return Lie{of.fragments, of.bytes + extents->inline_bytes};
}

// A file stands for its own range of the drive; warns of what makes it a poor stand-in.
void warn_of_file(const DirectFile& file, const std::optional<Lie>& lie, const Output& answer) {
  if (file.is_device()) return;
  answer.warn(
      fmt::format("{} is a file: capacity, rates and seeks are those of its own range of the drive",
                  file.name()));
  if (!lie) return;
  if (lie->pieces > 1)
    answer.warn(fmt::format("{} lies in {} pieces; distances within it aren't those on the drive",
                            file.name(), lie->pieces));
  if (lie->stored_bytes < file.size_bytes())
    answer.warn(
        fmt::format("{} of {} bytes of {} were never written, so reading them doesn't "
                    "reach the drive; fill the file first",
                    file.size_bytes() - lie->stored_bytes, file.size_bytes(), file.name()));
}

void tell(const Calibration& found, const Output& answer) {
  const FitError& error = found.error;
  answer.line(describe_profile(found.profile));
  answer.line("fit");
  answer.line(fmt::format("  rates at {} places      {:.1f} % rms about the fit", found.rate_places,
                          error.rates_rms_share * 100));
  if (std::holds_alternative<HardDisk>(found.profile.hardware)) {
    answer.line(fmt::format("  {} seeks             {:.2f} ms rms about the curve",
                            found.seek_samples, error.seek_rms_ms));
    answer.line(fmt::format("  rotation               {:.0f} % of intervals are whole turns",
                            error.rotation_share * 100));
    answer.line(fmt::format("  slow random accesses   {:.1f} %", error.slow_share * 100));
  }
  answer.line(
      fmt::format("  average access         {:.4g} ms predicted, {:.4g} measured ({:+.1f} %)",
                  error.predicted_access_ms, error.measured_access_ms,
                  (error.predicted_access_ms / error.measured_access_ms - 1) * 100));
  answer.line(fmt::format("{} reads, {:.1f} MB, {} failed, {:.1f} s", found.counters.reads,
                          static_cast<double>(found.counters.bytes) / 1e6,
                          found.counters.failed_reads, found.seconds));
}

Json to_json(const Arguments& arguments, const DirectFile& file, const std::optional<Lie>& lie,
             const Calibration& found) {
  const FitError& error = found.error;
  Json fit = {{"rate_places", found.rate_places}, {"rates_rms_share", error.rates_rms_share}};
  if (std::holds_alternative<HardDisk>(found.profile.hardware)) {
    fit["seek_samples"] = found.seek_samples;
    fit["seek_rms_ms"] = error.seek_rms_ms;
    fit["rotation_share"] = error.rotation_share;
    fit["slow_share"] = error.slow_share;
  }
  fit["predicted_access_ms"] = error.predicted_access_ms;
  fit["measured_access_ms"] = error.measured_access_ms;
  Json json = {{"command", "drive calibrate"},
               {"device", arguments.device},
               {"is_file", !file.is_device()},
               {"output", arguments.output}};
  if (lie) json["pieces"] = lie->pieces;
  json["profile"] = Json::parse(seekless::to_json(found.profile));
  json["fit"] = fit;
  json["reads"] = found.counters.reads;
  json["bytes"] = found.counters.bytes;
  json["failed_reads"] = found.counters.failed_reads;
  json["seconds"] = found.seconds;
  json["remarks"] = found.remarks;
  return json;
}

Result<void> run(const Arguments& arguments) {
  if (auto checked = check_arguments(arguments); !checked) return checked;
  auto file = DirectFile::open(arguments.device, kMaxTimedReadBytes);
  if (!file) return std::unexpected(file.error());
  // Before the minute's work, so that an output that can't be written is known at once.
  auto output = PendingFile::create(arguments.output);
  if (!output) return std::unexpected(output.error());
  const std::optional<Lie> lie = lie_of(*file);
  warn_of_file(*file, lie, arguments.answer);
  WallClockDevice device(*file);
  auto stage = std::make_unique<StageLine>();
  const auto found =
      calibrate(device, {.profile_name = arguments.name, .seconds = arguments.seconds},
                [&](std::string_view what, double share) { stage->show(what, share); });
  stage.reset();
  if (!found) return std::unexpected(found.error());
  for (const std::string& remark : found->remarks) arguments.answer.warn(remark);
  if (found->counters.failed_reads > 0)
    arguments.answer.warn(fmt::format("{} reads failed and were left out; see the drive's health",
                                      found->counters.failed_reads));
  tell(*found, arguments.answer);
  if (auto written = output->append(seekless::to_json(found->profile)); !written) return written;
  if (auto committed = output->commit(); !committed) return committed;
  return arguments.answer.result(to_json(arguments, *file, lie, *found));
}

}  // namespace

void add_calibrate(CLI::App& drive, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      drive.add_subcommand("calibrate", "Measure a drive, read-only, and write its profile");
  command
      ->add_option("DEVICE", arguments->device,
                   "A block device, which as a rule only root may read, or a file of 1 GiB or "
                   "more on the drive")
      ->type_name("DEVICE|FILE")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "The profile, for --drive; replaced if it exists")
      ->type_name("PROFILE.json")
      ->required();
  command->add_option("--name", arguments->name, "What the profile is to be called")
      ->capture_default_str();
  command
      ->add_option("--seconds", arguments->seconds,
                   "How long to measure, 10 to 3600; more is more exact")
      ->capture_default_str();
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless drive calibrate /dev/sda -o sda.json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless

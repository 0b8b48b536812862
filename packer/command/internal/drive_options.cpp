#include "packer/command/internal/drive_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/drive/command_queue.h"

namespace seekless {
namespace {

constexpr const char* kDriveHelp = "A built-in profile, or a file as in schemas/drive.schema.json";

}  // namespace

void add_drive_option(CLI::App& command, std::string& drive, const std::string& if_none) {
  command.add_option("--drive", drive, fmt::format("{} [{}]", kDriveHelp, if_none))
      ->type_name("NAME|FILE.json");
}

void DriveOptions::add_to(CLI::App& command, bool many, const std::string& if_none) {
  auto* drive = command.add_option(
      "--drive", drives, fmt::format("{}{} [{}]", kDriveHelp, many ? "; repeatable" : "", if_none));
  drive->type_name("NAME|FILE.json")->allow_extra_args(false);
  if (!many) drive->expected(1);
  command
      .add_option("--place", places,
                  "Where a file lies on the drive, instead of after the one before it: 600G, "
                  "1Ti; repeatable")
      ->type_name("NAME=POSITION")
      ->allow_extra_args(false);
  command
      .add_option("--read-ahead", read_ahead,
                  "What the operating system reads ahead: none, linux, linux:512Ki, windows")
      ->type_name("STYLE")
      ->capture_default_str();
  command
      .add_option("--queue-depth", queue_depth,
                  "Reads of different threads that may wait at the drive together")
      ->check(CLI::Range(1U, kMaxQueueDepth))
      ->type_name("1-32")
      ->capture_default_str();
}

Result<std::vector<DriveProfile>> DriveOptions::profiles() const {
  std::vector<DriveProfile> profiles;
  for (const std::string& name : drives.empty() ? std::vector<std::string>{kTargetDrive} : drives) {
    auto profile = get_drive(name);
    if (!profile) return std::unexpected(profile.error());
    if (std::ranges::find(profiles, profile->name, &DriveProfile::name) != profiles.end())
      return wrong_usage({.place = "--drive",
                          .expected = "each drive once",
                          .found = fmt::format("'{}' twice", profile->name),
                          .advice = "in a file of your own, change its 'name'"});
    profiles.push_back(*std::move(profile));
  }
  return profiles;
}

Result<std::vector<PlaceRule>> DriveOptions::place_rules() const {
  std::vector<PlaceRule> rules;
  for (const std::string& text : places) {
    auto rule = parse_place(text);
    if (!rule) return std::unexpected(rule.error());
    rules.push_back(*std::move(rule));
  }
  return rules;
}

Result<SimulationOptions> DriveOptions::simulation() const {
  const auto style = parse_read_ahead(read_ahead);
  if (!style) return std::unexpected(style.error());
  return SimulationOptions{*style, queue_depth, false};
}

}  // namespace seekless

#include "packer/command/internal/drive_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/drive/command_queue.h"

namespace seekless {
namespace {

constexpr const char* kDriveHelp =
    "The drive: a built-in profile, or a file that follows schemas/drive.schema.json";

}  // namespace

void add_drive_option(const Command& command, std::string& drive, const std::string& if_none) {
  command.option(
      {.name = "--drive", .takes = "NAME|FILE.json", .help = kDriveHelp, .usual = if_none}, drive);
}

void DriveOptions::add_to(const Command& command, bool many, const std::string& if_none) {
  if (many)
    command.option({.name = "--drive",
                    .takes = "NAME|FILE.json",
                    .help = fmt::format("{}; repeatable", kDriveHelp),
                    .usual = if_none},
                   drives);
  else
    add_drive_option(command, drive, if_none);
  command.option(
      {.name = "--place",
       .takes = "NAME=POSITION",
       .help = "Assume that the file NAME lies at this position on the drive, such as 600G "
               "or 1Ti, instead of after the previous file; repeatable"},
      places);
  command.option(
      {.name = "--read-ahead",
       .takes = "STYLE",
       .help = "How the operating system reads ahead: none, linux, linux:512Ki, windows"},
      read_ahead);
  command.option(
      {.name = "--queue-depth",
       .help = "Maximum number of reads queued at the drive, each from a different thread",
       .range = OptionRange{1, kMaxQueueDepth}},
      queue_depth);
}

std::vector<std::string> DriveOptions::named() const {
  return drive.empty() ? drives : std::vector{drive};
}

Result<std::vector<DriveProfile>> DriveOptions::profiles() const {
  std::vector<DriveProfile> profiles;
  std::vector<std::string> names = named();
  if (names.empty()) names = {kTargetDrive};
  for (const std::string& name : names) {
    SKL_TRY(auto profile, get_drive(name));
    if (std::ranges::find(profiles, profile.name, &DriveProfile::name) != profiles.end())
      return wrong_usage({.place = "--drive",
                          .expected = "each drive once",
                          .found = fmt::format("'{}' twice", profile.name),
                          .advice = "in a file of your own, change its 'name'"});
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

Result<std::vector<PlaceRule>> DriveOptions::place_rules() const {
  std::vector<PlaceRule> rules;
  for (const std::string& text : places) {
    SKL_TRY(auto rule, parse_place(text));
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<SimulationOptions> DriveOptions::simulation() const {
  SKL_TRY(const auto style, parse_read_ahead(read_ahead));
  return SimulationOptions{style, queue_depth, false};
}

}  // namespace seekless

// seekless drive check and drive fit: compare the model with requests that a drive served.
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/drive_check_answer.h"
#include "packer/calibrate/drive_fit.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_command.h"
#include "packer/drive/profile_fields.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/page/drive_check_page.h"
#include "packer/trace/served_requests.h"

namespace seekless {
namespace {

constexpr double kLeastRpm = 1000;
constexpr double kMostRpm = 30'000;

struct DriveCheckArguments {
  std::string command;
  std::string trace;
  std::string disk;
  std::string drive;
  std::string name = "fitted";
  std::string output;
  std::string html;
  double rpm = 0;
  uint64_t capacity_bytes = 0;
  Output answer;
};

Result<FittedDrive> fit_to(const DriveCheckArguments& arguments,
                           std::span<const ServedRequest> requests) {
  return fit_drive(requests,
                   {.profile_name = arguments.name,
                    .rpm = arguments.rpm,
                    .capacity_bytes = arguments.capacity_bytes},
                   arguments.trace);
}

void take_fitted(FittedDrive fitted, DriveCheckAnswer& answer) {
  answer.profile = std::move(fitted.profile);
  answer.remarks = std::move(fitted.remarks);
}

// Judges the second half of the requests by a profile that is fitted to the first.
Result<void> check_halves(const DriveCheckArguments& arguments,
                          std::span<const ServedRequest> requests, DriveCheckAnswer& answer) {
  const size_t half = requests.size() / 2;
  SKL_TRY(auto fitted, fit_to(arguments, requests.first(half)));
  take_fitted(std::move(fitted), answer);
  answer.fitted_requests = half;
  answer.judged = judge_drive(answer.profile, requests, half);
  return {};
}

// Fits the profile to all requests. The figures are still those of a fit to half of them, checked
// on the other half.
Result<void> fit_all(const DriveCheckArguments& arguments, std::span<const ServedRequest> requests,
                     DriveCheckAnswer& answer) {
  SKL_TRY(auto fitted, fit_to(arguments, requests));
  const bool is_checked = check_halves(arguments, requests, answer).has_value();
  take_fitted(std::move(fitted), answer);
  if (!is_checked) {
    answer.judged = judge_drive(answer.profile, requests, 0);
    answer.remarks.emplace_back(
        "half of the requests are too few to fit a profile, so it is judged by the requests that "
        "it was fitted to");
  }
  SKL_TRY_DO(write_text(arguments.output, to_json(answer.profile)));
  answer.output = arguments.output;
  return {};
}

Result<void> find_and_judge(const DriveCheckArguments& arguments,
                            std::span<const ServedRequest> requests, DriveCheckAnswer& answer) {
  if (!arguments.output.empty()) return fit_all(arguments, requests, answer);
  if (arguments.drive.empty()) return check_halves(arguments, requests, answer);
  SKL_TRY(auto profile, get_drive(arguments.drive));
  answer.profile = std::move(profile);
  answer.judged = judge_drive(answer.profile, requests, 0);
  return {};
}

Result<void> check_names(const DriveCheckArguments& arguments) {
  if (!is_profile_name(arguments.name))
    return wrong_usage({.file = "--name",
                        .expected = std::string(kNameRule),
                        .found = fmt::format("'{}'", arguments.name)});
  return {};
}

Result<void> run_check(const DriveCheckArguments& arguments) {
  SKL_TRY_DO(check_names(arguments));
  SKL_TRY(const auto served, read_served_requests(arguments.trace, arguments.disk));
  for (const std::string& warning : served.warnings) arguments.answer.warn(warning);
  DriveCheckAnswer answer = {.command = arguments.command,
                             .trace = arguments.trace,
                             .form = served.form,
                             .disk = served.disk,
                             .requests = served.requests.size(),
                             .queued_requests = served.queued_requests,
                             .unparsed_lines = served.unparsed_lines,
                             .profile = {},
                             .remarks = {},
                             .judged = {}};
  SKL_TRY_DO(find_and_judge(arguments, served.requests, answer));
  if (!arguments.html.empty()) SKL_TRY_DO(write_text(arguments.html, to_html(answer)));
  arguments.answer.line(to_text(answer, terminal_width()));
  return arguments.answer.result(to_json(answer));
}

void add_trace_options(const Command& command, DriveCheckArguments& arguments) {
  command.option({.name = "TRACE",
                  .help = "Requests with their times: CSV, DiskSim's validation format, blkparse "
                          "or biosnoop; see docs/calibrate.md",
                  .is_required = true},
                 arguments.trace);
  command.option({.name = "--disk",
                  .takes = "NAME",
                  .help = "Which disk's requests to use, if the log has several",
                  .usual = "the busiest"},
                 arguments.disk);
  command.option({.name = "--rpm",
                  .help = "Turns per minute",
                  .usual = "computed from the times",
                  .range = OptionRange{kLeastRpm, kMostRpm}},
                 arguments.rpm);
  command.option({.name = "--capacity",
                  .takes = "SIZE",
                  .help = "The drive's capacity",
                  .usual = "the end of the farthest request",
                  .size = SizeUnits::powers_of_1000},
                 arguments.capacity_bytes);
  command.option({.name = "--name", .takes = "NAME", .help = "Name to give the profile"},
                 arguments.name);
}

void add_outputs(const Command& command, DriveCheckArguments& arguments) {
  command.option({.name = "--html",
                  .takes = "FILE",
                  .help = "Also write an HTML page with the measured and predicted times"},
                 arguments.html);
  arguments.answer.add_option(command);
}

}  // namespace

void add_check(const Command& drive) {
  auto arguments = std::make_shared<DriveCheckArguments>();
  arguments->command = "drive check";
  const Command command =
      drive.add("check", "Compare the drive model with a drive's recorded requests");
  add_trace_options(command, *arguments);
  command.option({.name = "--drive",
                  .takes = "NAME|FILE.json",
                  .help = "Compare all requests with this profile, instead of fitting one",
                  .not_with = {"--rpm", "--capacity", "--name"}},
                 arguments->drive);
  add_outputs(command, *arguments);
  command.footer("Example:\n  seekless drive check mydisk.blkparse --html mydisk.html");
  command.runs([arguments] { return run_check(*arguments); });
}

void add_fit(const Command& drive) {
  auto arguments = std::make_shared<DriveCheckArguments>();
  arguments->command = "drive fit";
  const Command command = drive.add("fit", "Fit a profile to recorded requests of a drive");
  add_trace_options(command, *arguments);
  command.option(
      {.name = "-o,--output",
       .takes = "PROFILE.json",
       .help = "Output file for the profile, to use with --drive; an existing file is replaced",
       .is_required = true},
      arguments->output);
  add_outputs(command, *arguments);
  command.footer("Example:\n  seekless drive fit mydisk.blkparse -o mydisk.json");
  command.runs([arguments] { return run_check(*arguments); });
}

}  // namespace seekless

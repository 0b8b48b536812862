#include "packer/command/internal/plan_options.h"

#include <type_traits>

#include "packer/command/internal/drive_options.h"
#include "packer/plan/plan_settings.h"
#include "packer/plan/plan_texts.h"

namespace seekless {
namespace {

// Returns the setting's value if it is a number.
std::optional<double> number_of(const PlanSetting& setting, const PlanOptions& options) {
  return std::visit(
      [&](auto member) -> std::optional<double> {
        if constexpr (requires { options.*member; }) {
          if constexpr (kIsNumber<std::remove_cvref_t<decltype(options.*member)>>)
            return options.*member;
        }
        return std::nullopt;
      },
      setting.goes_to);
}

void declare(const Command& command, const PlanSetting& setting, PlannerArguments& arguments) {
  const OptionText text = option_text(setting);
  std::visit(
      [&](auto member) {
        if constexpr (requires { command.option(text, arguments.asked.options.*member); })
          command.option(text, arguments.asked.options.*member);
        else
          command.option(text, arguments.texts[setting.key]);
      },
      setting.goes_to);
}

}  // namespace

OptionText option_text(const PlanSetting& setting) {
  const bool is_size = std::holds_alternative<uint32_t PlanOptions::*>(setting.goes_to);
  const bool is_flag = std::holds_alternative<bool PlanOptions::*>(setting.goes_to);
  const bool is_list = !is_flag && !is_size && !number_of(setting, PlanOptions());
  return {.name = std::string(setting.option),
          .takes = std::string(setting.takes),
          .help = help_of(setting) + (is_list ? "; repeatable" : ""),
          .usual = usual_of(setting),
          .size = is_size ? SizeUnits::powers_of_1024 : SizeUnits::none};
}

void PlannerArguments::add_to(const Command& to) {
  command = to;
  add_drive_option(to, drive);
  to.option({.name = "--build",
             .takes = "FILE.json",
             .help = "The game's build file. Its planner settings apply, unless an option here "
                     "replaces them"},
            build_file);
  for (const PlanSetting& setting : plan_setting_table())
    if (!setting.option.empty()) declare(to, setting, *this);
}

// Options on the command line override what the build file says.
Result<PlanOptions> PlannerArguments::options() const {
  SKL_TRY(auto settings, build_file.empty() ? PlanSettings() : read_plan_settings(build_file));
  SKL_TRY(const auto here, parsed());
  if (!drive.empty()) settings.drives.clear();
  auto options = plan_options_of(with(std::move(settings), here), build_file);
  if (!options || drive.empty()) return options;
  SKL_TRY(auto profile, get_drive(drive));
  options->drive = std::move(profile);
  return options;
}

Result<PlanSettings> PlannerArguments::parsed() const {
  PlanSettings settings = asked;
  for (const PlanSetting& setting : plan_setting_table()) {
    const std::string option(setting.option);
    if (option.empty() || !command->has(option)) continue;
    settings.given.insert(setting.key);
    if (const auto number = number_of(setting, asked.options))
      SKL_TRY_DO(check_number(setting, *number, "", option));
    if (const auto of = texts.find(setting.key); of != texts.end())
      for (const std::string& text : of->second) SKL_TRY_DO(take_text(setting, text, settings));
  }
  return settings;
}

bool PlannerArguments::names_drive() const {
  if (!drive.empty() || build_file.empty()) return !drive.empty();
  const auto settings = read_plan_settings(build_file);
  return settings && !settings->drives.empty();
}

}  // namespace seekless

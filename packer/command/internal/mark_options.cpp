#include "packer/command/internal/mark_options.h"

#include <utility>

#include "packer/trace/scenario_marks.h"

namespace seekless {

void MarkOptions::add_to(CLI::App& command) {
  command
      .add_option("--split", splits,
                  "Begin a scenario with the first access to each file or archive's entry that "
                  "matches, called by its stem: 'map/*.wrf' makes rush of map/rush.wrf; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      .add_option("--mark", marks,
                  "Begin a scenario at a time: seconds since the trace began, or a date such as "
                  "2026-11-21T12:51:04Z; without NAME, the trace's own continues; repeatable")
      ->type_name("TIME=NAME")
      ->allow_extra_args(false);
  command
      .add_option("--runs", runs,
                  "Recordings whose names match, without folder and endings, are runs of this "
                  "scenario; without NAME, none is a run of another. Repeatable, the first that "
                  "matches counts")
      ->type_name("GLOB=NAME")
      ->allow_extra_args(false);
}

Result<void> MarkOptions::apply_to(ImportOptions& options) const {
  options.splits = splits;
  for (const std::string& text : marks) {
    auto mark = parse_time_mark(text);
    if (!mark) return std::unexpected(mark.error());
    options.marks.push_back(*std::move(mark));
  }
  for (const std::string& text : runs) {
    auto rule = RunRule::parse(text);
    if (!rule) return std::unexpected(rule.error());
    options.run_rules.push_back(*std::move(rule));
  }
  return {};
}

}  // namespace seekless

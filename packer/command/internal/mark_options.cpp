#include "packer/command/internal/mark_options.h"

#include <utility>

#include "packer/trace/scenario_marks.h"

namespace seekless {

void MarkOptions::add_to(const Command& command) {
  command.option(
      {.name = "--split",
       .takes = "GLOB",
       .help = "Start a scenario at the first access to a matching file or archive entry, and name "
               "it after that file: 'map/*.wrf' starts 'rush' at map/rush.wrf; repeatable"},
      splits);
  command.option(
      {.name = "--mark",
       .takes = "TIME=NAME",
       .help =
           "Start the scenario NAME at this time: seconds since the trace began, or a date such as "
           "2026-11-21T12:51:04Z. With 'TIME=', the trace's own scenario continues; repeatable"},
      marks);
  command.option({.name = "--runs",
                  .takes = "GLOB=NAME",
                  .help = "Treat recordings with matching names (without folder and ending) as "
                          "runs of the scenario NAME. With 'GLOB=', each of them is a scenario of "
                          "its own; repeatable, first match wins"},
                 runs);
}

Result<void> MarkOptions::apply_to(ImportOptions& options) const {
  options.splits = splits;
  for (const std::string& text : marks) {
    SKL_TRY(auto mark, parse_time_mark(text));
    options.marks.push_back(std::move(mark));
  }
  for (const std::string& text : runs) {
    SKL_TRY(auto rule, RunRule::parse(text));
    options.run_rules.push_back(std::move(rule));
  }
  return {};
}

}  // namespace seekless

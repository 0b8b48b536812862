#include "packer/command/internal/place_answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace seekless {

Result<void> tell_placing(const Output& answer, const std::vector<std::string>& paths,
                          const Placing& placing, const std::string& way, bool is_dry) {
  Json scenarios = Json::array();
  for (const PlacedScenario& scenario : placing.scenarios) {
    answer.line(fmt::format("{}: {:.2f} s -> {:.2f} s", scenario.name, scenario.before_s,
                            scenario.after_s));
    scenarios.push_back(
        {{"name", scenario.name}, {"before_s", scenario.before_s}, {"after_s", scenario.after_s}});
  }
  answer.line(fmt::format("{} of {:.1f} MB {}{}", counted(placing.moved_files, "file"),
                          megabytes(placing.moved_bytes), is_dry ? "would be " : "", way));
  return answer.result({{"command", "place"},
                        {"paths", paths},
                        {"way", way},
                        {"dry_run", is_dry},
                        {"scenarios", scenarios},
                        {"moved_files", placing.moved_files},
                        {"moved_bytes", placing.moved_bytes}});
}

}  // namespace seekless

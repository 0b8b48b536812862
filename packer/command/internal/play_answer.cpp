#include "packer/command/internal/play_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/foresee/laid_out.h"

namespace seekless {
namespace {

std::string line_of_scenario(const Learned& learned, uint32_t number) {
  const LearnedScenario& scenario = learned.scenarios[number];
  const LaidOut of = laid_out(learned, number);
  const auto next = usual_next(learned, number);
  return fmt::format(
      "  {}: {}, {:.1f} MB{}; reads took {:.2f} s at first, {:.2f} s last{}", scenario.name,
      counted(scenario.runs, "run"), megabytes(scenario.pages.size() * kSeenPageBytes),
      of.is_nearly_all() ? ", laid out" : "", scenario.first_waited_s, scenario.last_waited_s,
      next ? "; then usually " + learned.scenarios[*next].name : "");
}

}  // namespace

std::vector<std::string> lines_of_run(const Json& told) {
  std::vector<std::string> lines;
  if (told.contains("trace"))
    lines.push_back(fmt::format("{}: {}, {} of {} from {}", told["trace"].get<std::string>(),
                                told["scenario"].get<std::string>(),
                                counted(told["reads"].get<uint64_t>(), "read"),
                                counted(told["bytes"].get<uint64_t>(), "byte"),
                                counted(told["paths"].get<uint64_t>(), "file")));
  if (told.contains("marked"))
    lines.push_back(fmt::format("{}: then {}", told["trace"].get<std::string>(),
                                fmt::join(told["marked"].get<std::vector<std::string>>(), ", ")));
  if (!told.contains("foreseen")) return lines;
  const Json& foreseen = told["foreseen"];
  const auto names = foreseen["recognised"].get<std::vector<std::string>>();
  lines.push_back(fmt::format(
      "{}, the longest of {:.0f} ms, {} of them from the shadow; {:.1f} MB fetched in advance{}",
      counted(foreseen["reads"].get<uint64_t>(), "read"),
      foreseen["longest_wait_s"].get<double>() * 1e3, foreseen["shadow_reads"].get<uint64_t>(),
      megabytes(foreseen["fetched_bytes"].get<uint64_t>()),
      names.empty() ? "" : fmt::format("; recognised: {}", fmt::join(names, ", "))));
  const auto next = foreseen["fetched_next"].get<std::vector<std::string>>();
  if (!next.empty())
    lines.push_back(fmt::format("fetched while nothing was read: {}", fmt::join(next, ", ")));
  if (told.contains("shadow_bytes"))
    lines.push_back(line_of_laid_out(told["shadow_bytes"].get<uint64_t>()));
  return lines;
}

std::string line_of_laid_out(uint64_t bytes) {
  if (bytes > 0) return fmt::format("laid out: {:.1f} MB", megabytes(bytes));
  return "laid out: nothing; no load is known yet, or there is no room for it (--room; the last GB "
         "of the disk stays free)";
}

std::vector<std::string> lines_of_learned(const std::string& folder, const Learned& learned) {
  std::vector<std::string> lines = {fmt::format("{}: {} learned, of {}; shadow: {:.1f} MB", folder,
                                                counted(learned.scenarios.size(), "scenario"),
                                                counted(learned.files.size(), "file"),
                                                megabytes(shadow_bytes(learned)))};
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i)
    lines.push_back(line_of_scenario(learned, i));
  return lines;
}

Json loads_of(const Learned& learned) {
  Json loads = Json::array();
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i) {
    const LearnedScenario& scenario = learned.scenarios[i];
    const LaidOut of = laid_out(learned, i);
    loads.push_back({{"name", scenario.name},
                     {"runs", scenario.runs},
                     {"likely_bytes", of.likely_bytes},
                     {"laid_out_bytes", of.laid_out_bytes},
                     {"first_waited_s", scenario.first_waited_s},
                     {"last_waited_s", scenario.last_waited_s}});
  }
  return loads;
}

}  // namespace seekless

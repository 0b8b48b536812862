#include "packer/command/play_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace seekless {
namespace {

uint64_t shadow_bytes_of(const Learned& learned) {
  uint64_t pages = 0;
  for (const ShadowSection& section : learned.shadow.sections) pages += section.pages.size();
  return pages * kSeenPageBytes;
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
  if (!told.contains("foreseen")) return lines;
  const Json& foreseen = told["foreseen"];
  const auto names = foreseen["recognised"].get<std::vector<std::string>>();
  lines.push_back(fmt::format(
      "{}, {} of them from the shadow; {:.1f} MB fetched in advance{}",
      counted(foreseen["reads"].get<uint64_t>(), "read"), foreseen["shadow_reads"].get<uint64_t>(),
      megabytes(foreseen["fetched_bytes"].get<uint64_t>()),
      names.empty() ? "" : fmt::format("; recognised: {}", fmt::join(names, ", "))));
  if (told.contains("shadow_bytes"))
    lines.push_back(
        fmt::format("laid out: {:.1f} MB", megabytes(told["shadow_bytes"].get<uint64_t>())));
  return lines;
}

std::vector<std::string> lines_of_learned(const std::string& folder, const Learned& learned) {
  std::vector<std::string> lines = {fmt::format("{}: {} learned, of {}; shadow: {:.1f} MB", folder,
                                                counted(learned.scenarios.size(), "scenario"),
                                                counted(learned.files.size(), "file"),
                                                megabytes(shadow_bytes_of(learned)))};
  for (const LearnedScenario& scenario : learned.scenarios)
    lines.push_back(fmt::format("  {}: {}, {:.1f} MB", scenario.name, counted(scenario.runs, "run"),
                                megabytes(scenario.pages.size() * kSeenPageBytes)));
  return lines;
}

}  // namespace seekless

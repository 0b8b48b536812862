#include "packer/command/internal/played_loads.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "packer/profile/recorded_files.h"
#include "packer/simulate/lying_files.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

// A page takes a microsecond, so that the reads keep their order.
constexpr int64_t kTickNs = 1000;

std::string path_of(const Learned& learned, const std::string& folder, uint32_t file) {
  return folder + "/" + learned.files[file];
}

bool knows_reads(const LearnedScenario& scenario) {
  return std::ranges::any_of(scenario.pages, &SeenPage::begins_read);
}

// Joins the pages of each read of the last run. Where its reads aren't known, the pages that most
// runs read count, and those that follow each other count as one read.
std::vector<Event> reads_of(const LearnedScenario& scenario) {
  const bool are_known = knows_reads(scenario);
  std::vector<Event> reads;
  for (const SeenPage& seen : scenario.pages) {
    if (!are_known && !is_likely(seen, scenario)) continue;
    const uint32_t file = file_of_page(seen.page);
    const uint64_t begin = number_of_page(seen.page) * kSeenPageBytes;
    const bool goes_on = !seen.begins_read && !reads.empty() && reads.back().path == file &&
                         reads.back().offset_bytes + reads.back().length_bytes == begin;
    if (goes_on) {
      reads.back().length_bytes += kSeenPageBytes;
      continue;
    }
    // Only earlier runs have read this page.
    if (are_known && !seen.begins_read) continue;
    reads.push_back({.start_ns = static_cast<int64_t>(reads.size()) * kTickNs,
                     .offset_bytes = begin,
                     .length_bytes = kSeenPageBytes,
                     .path = file});
  }
  return reads;
}

Result<void> pass_on(const Learned& learned, const std::string& folder, KeptRuns& runs) {
  for (const LearnedScenario& scenario : learned.scenarios) {
    runs.start_trace(scenario.name);
    SKL_TRY_DO(runs.begin({.scenario = scenario.name}));
    for (uint32_t file = 0; file < learned.files.size(); ++file)
      SKL_TRY_DO(runs.add_path(path_of(learned, folder, file)));
    for (const Event& read : reads_of(scenario)) SKL_TRY_DO(runs.add_event(read));
    runs.finish_trace();
  }
  return {};
}

}  // namespace

Result<PlayedLoads> played_loads(const Learned& learned, const std::string& folder) {
  RecordedFiles files;
  for (uint32_t file = 0; file < learned.files.size(); ++file)
    SKL_TRY_DO(files.add_path(path_of(learned, folder, file)));
  PlayedLoads played = {.content = std::make_unique<const Content>(files.content()), .runs = {}};
  played.runs = std::make_unique<KeptRuns>(*played.content);
  SKL_TRY_DO(pass_on(learned, folder, *played.runs));
  return played;
}

Result<SecondsAfter> seconds_as_shipped(const Learned& learned, const std::string& folder) {
  SecondsAfter seconds;
  SKL_TRY(const auto chosen, drive_of_content("", {folder}));
  if (chosen.judged.is_solid_state || learned.files.empty()) return seconds;
  SKL_TRY(const auto played, played_loads(learned, folder));
  SKL_TRY(const auto lying,
          where_files_lie(*played.content, sources_read(*played.runs), chosen.profile));
  if (!lying.are_real) return seconds;
  const ShippedLoads shipped = shipped_loads(*played.runs, *played.content, chosen.profile, lying);
  for (const JudgedLoad& load : shipped.loads) seconds[load.name] = load.as_shipped_s;
  return seconds;
}

}  // namespace seekless

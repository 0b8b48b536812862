#include "packer/command/internal/played_loads.h"

#include <utility>
#include <vector>

#include "packer/foresee/last_reads.h"
#include "packer/host/file_stamp.h"
#include "packer/profile/profile_builder.h"
#include "packer/profile/recorded_files.h"
#include "packer/simulate/lying_files.h"
#include "packer/trace/both_sinks.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

// The reads start one microsecond apart, so that they keep their order.
constexpr int64_t kTickNs = 1000;

std::string path_of(const Learned& learned, const std::string& folder, uint32_t file) {
  return folder + "/" + learned.files[file];
}

// The stored pages are whole, but a file's last page is usually shorter.
std::vector<Event> reads_of(const LearnedScenario& scenario, const std::vector<uint64_t>& sizes) {
  std::vector<Event> reads;
  for (const LearnedRead& read : last_reads(scenario)) {
    Event event = {.start_ns = static_cast<int64_t>(reads.size()) * kTickNs,
                   .offset_bytes = number_of_page(read.first) * kSeenPageBytes,
                   .length_bytes = read.pages * kSeenPageBytes,
                   .path = file_of_page(read.first)};
    const uint64_t end = event.offset_bytes + event.length_bytes;
    const uint64_t size = sizes[event.path];
    if (end > size && end - size < kSeenPageBytes) event.length_bytes -= end - size;
    reads.push_back(event);
  }
  return reads;
}

// Passes one run on, with all its paths.
Result<void> pass_on(const Learned& learned, const std::string& folder,
                     const std::vector<uint64_t>& sizes, const LearnedScenario& scenario,
                     TraceSink& sink) {
  SKL_TRY_DO(sink.begin({.scenario = scenario.name}));
  for (uint32_t file = 0; file < learned.files.size(); ++file)
    SKL_TRY_DO(sink.add_path(path_of(learned, folder, file)));
  for (const Event& read : reads_of(scenario, sizes)) SKL_TRY_DO(sink.add_event(read));
  return {};
}

// Passes one run of each scenario to `runs`, and to the profile unless that is null.
Result<void> pass_on_all(const Learned& learned, const std::string& folder, KeptRuns& runs,
                         ProfileBuilder* profile) {
  const std::vector<uint64_t> sizes = sizes_of_files(learned, folder);
  BothSinks sinks(runs, profile);
  for (const LearnedScenario& scenario : learned.scenarios) {
    runs.start_trace(scenario.name);
    if (profile != nullptr) profile->start_trace(scenario.name, scenario.name);
    SKL_TRY_DO(pass_on(learned, folder, sizes, scenario, sinks));
    runs.finish_trace();
    if (profile != nullptr) profile->finish_trace();
  }
  return {};
}

}  // namespace

std::vector<uint64_t> sizes_of_files(const Learned& learned, const std::string& folder) {
  std::vector<uint64_t> sizes;
  for (uint32_t file = 0; file < learned.files.size(); ++file) {
    const auto stamp = change_stamp_of(path_of(learned, folder, file));
    sizes.push_back(stamp && *stamp ? (*stamp)->size_bytes : 0);
  }
  return sizes;
}

Result<PlayedLoads> played_loads(const Learned& learned, const std::string& folder) {
  RecordedFiles files;
  for (uint32_t file = 0; file < learned.files.size(); ++file)
    SKL_TRY_DO(files.add_path(path_of(learned, folder, file)));
  PlayedLoads played = {.content = std::make_unique<const Content>(files.content()), .runs = {}};
  played.runs = std::make_unique<KeptRuns>(*played.content);
  SKL_TRY_DO(pass_on_all(learned, folder, *played.runs, nullptr));
  return played;
}

Result<Profile> played_profile(const Learned& learned, const std::string& folder,
                               const Content& content, KeptRuns& runs) {
  ProfileBuilder builder(content);
  SKL_TRY_DO(pass_on_all(learned, folder, runs, &builder));
  return builder.finish();
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

#include "packer/command/internal/play_advice.h"

#include <algorithm>
#include <string>
#include <vector>

#include "packer/command/internal/advise_ways_linux.h"
#include "packer/command/internal/played_loads.h"
#include "packer/command/internal/repack_options.h"
#include "packer/foresee/last_reads.h"
#include "packer/foresee/play_forecast.h"
#include "packer/host/whole_files.h"
#include "packer/simulate/lying_files.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/verdict/judging.h"
#include "packer/verdict/verdict.h"
#include "packer/verdict/ways.h"

namespace seekless {
namespace {

// Fewer runs may not be typical of the next.
constexpr uint32_t kFewestRuns = 2;
// A forecast of this many takes a tenth of a second.
constexpr size_t kMostReads = 4000;
constexpr size_t kMostFiles = 4000;
// Less isn't worth changing anything for.
constexpr double kLeastShare = 0.1;

bool is_known_well(const Learned& learned) {
  return std::ranges::any_of(learned.scenarios, [](const LearnedScenario& scenario) {
    return scenario.runs >= kFewestRuns;
  });
}

bool takes_long(const Learned& learned) {
  if (learned.files.size() > kMostFiles) return true;
  size_t reads = 0;
  for (const LearnedScenario& scenario : learned.scenarios) {
    reads += last_reads(scenario).size();
    if (reads > kMostReads) return true;
  }
  return false;
}

bool is_better(double seconds, double played_s) {
  return saves_enough(played_s - seconds, played_s) && seconds <= played_s * (1 - kLeastShare);
}

std::vector<std::string> comparing_command(const PlaySettings& settings) {
  std::vector<std::string> words = {"advise"};
  if (!settings.state.empty()) words.insert(words.end(), {"--state", settings.state});
  words.push_back(settings.game.path());
  return words;
}

// Room is reserved, to see where it lies, only if files in one piece would be better.
std::optional<PlayedAdvice> advice_on(const AdvisedLoads& loads, const SecondsOnLinux& seconds,
                                      bool is_laid_out) {
  uint64_t most_bytes = 0;
  for (const ForeseenLoad& of : loads.foreseen) most_bytes = std::max(most_bytes, of.copied_bytes);
  const double played_s = is_laid_out ? seconds.laid_out(any_room(most_bytes)) : seconds.played();
  double placed_s = 0;
  seconds.placed("", placed_s);
  if (!is_better(placed_s, played_s) || !why_not_placed(loads).empty()) return std::nullopt;
  const Placing placing = seconds.placed(loads.folder, placed_s);
  const auto free = free_bytes(loads.folder);
  const bool has_room = free && *free >= placing.moved_bytes;
  if (!has_room || !is_better(placed_s, played_s)) return std::nullopt;
  return PlayedAdvice{
      .way = name_of(LoadWay::place), .seconds = placed_s, .played_s = played_s, .command = {}};
}

Result<std::optional<PlayedAdvice>> forecast_ways(const std::string& copies,
                                                  const std::string& path, const Learned& learned,
                                                  bool is_laid_out) {
  std::optional<PlayedAdvice> none;
  const std::vector<std::string> paths = {path};
  SKL_TRY(const auto drive, drive_of_content("", paths));
  if (drive.judged.is_solid_state) return none;
  SKL_TRY(const auto played, played_loads(learned, path));
  SKL_TRY(const auto lying,
          where_files_lie(*played.content, sources_read(*played.runs), drive.profile));
  if (!lying.are_real) return none;
  const std::vector<std::string> beside;
  const std::vector<JudgedLoad> as_shipped;
  RepackArguments no_repack;
  const AdvisedGame game = {.paths = paths,
                            .beside = beside,
                            .content = *played.content,
                            .runs = *played.runs,
                            .profile = nullptr,
                            .repack = no_repack,
                            .drive = drive,
                            .lying = lying,
                            .loads = as_shipped};
  const AdvisedLoads loads(game);
  return advice_on(loads, SecondsOnLinux(loads, copies), is_laid_out);
}

}  // namespace

std::optional<PlayedAdvice> advise_once(const GameState& state, const PlaySettings& settings,
                                        const Learned& learned, bool is_laid_out) {
  // 'advise' finds what is known by the folder.
  if (!settings.game.name.empty() || state.was_advised()) return std::nullopt;
  if (!is_known_well(learned) || takes_long(learned)) return std::nullopt;
  // Whatever the forecast says, later runs needn't wait for it again.
  if (!state.note_advised()) return std::nullopt;
  auto advice = forecast_ways(state.folder(), settings.game.path(), learned, is_laid_out);
  if (!advice || !*advice) return std::nullopt;
  (*advice)->command = comparing_command(settings);
  return *std::move(advice);
}

}  // namespace seekless

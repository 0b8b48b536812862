#include "packer/command/internal/advising.h"

#include <utility>
#include <vector>

#include "packer/command/internal/advise_ways.h"
#include "packer/command/internal/played_loads.h"
#include "packer/command/internal/repack_inputs.h"
#include "packer/command/progress.h"

namespace seekless {
namespace {

class Advising {
 public:
  Advising(const AskedAdvice& asked, const Output& output, const ChosenDrive& drive,
           AdviseAnswer& answer)
      : asked_(asked), output_(output), drive_(drive), answer_(answer) {
    repack_.traces = asked.inputs.traces;
    repack_.roots = asked.inputs.content;
    repack_.repack.in_place = true;
    repack_.dry_run = true;
    repack_.finds_room = asked.tries_out;
    repack_.answer = Output::collecting(answer.notes);
  }

  Result<void> by_recordings() {
    SKL_TRY(const auto content, scan_as_recorded(repack_));
    KeptRuns runs(content);
    std::vector<TraceMapping> mappings;
    SKL_TRY(const auto profile, get_profile(repack_, content, mappings, runs));
    return advise_on(content, runs, LoadsOfArchives{content, profile, runs});
  }

  Result<void> by_play() {
    std::string warning;
    const Learned learned = learned_by_play(asked_.state, asked_.inputs.content.front(), warning);
    if (!warning.empty()) output_.warn(warning);
    if (learned.scenarios.empty()) return {};
    const std::string folder = asked_.inputs.folder();
    SKL_TRY(const auto played, played_loads(learned, folder));
    // Content that can't be scanned isn't repacked; the other ways can still be compared.
    const auto content = scan_as_recorded(repack_);
    if (!content) return advise_on(*played.content, *played.runs, std::unexpected(content.error()));
    KeptRuns runs(*content);
    SKL_TRY(const auto profile, played_profile(learned, folder, *content, runs));
    return advise_on(*played.content, *played.runs, LoadsOfArchives{*content, profile, runs});
  }

 private:
  // Adds the loads as shipped and all ways to the answer.
  Result<void> advise_on(const Content& content, const KeptRuns& runs,
                         const Result<LoadsOfArchives>& archives) {
    if (runs.size() == 0) return {};
    SKL_TRY(const auto lying, where_files_lie(content, sources_read(runs), drive_.profile));
    ShippedLoads shipped = shipped_loads(runs, content, drive_.profile, lying);
    if (shipped.loads.empty() || shipped.lacking != Lacking::nothing)
      return damaged({.file = answer_.paths.front(),
                      .expected = "recordings that tell how much of each file was read",
                      .found = "names alone",
                      .advice = "record it with 'seekless record' or 'seekless play'"});
    const bool is_played = asked_.inputs.traces.paths.empty();
    answer_.known_from = is_played ? "play" : "recordings";
    answer_.assumption = lying.assumption;
    answer_.loads = std::move(shipped.loads);
    if (shipped.fit.misfit != Misfit::none)
      answer_.notes.push_back(
          "recorded reads don't all fit the game as it is now: record it again");
    const Progress progress("trying each way");
    answer_.ways = advised_ways({.paths = asked_.inputs.content,
                                 .beside = answer_.beside,
                                 .content = content,
                                 .runs = runs,
                                 .is_played = is_played,
                                 .archives = archives,
                                 .state = asked_.state,
                                 .tries_out = asked_.tries_out,
                                 .repack = repack_,
                                 .drive = drive_,
                                 .lying = lying,
                                 .loads = answer_.loads});
    return {};
  }

  const AskedAdvice& asked_;
  const Output& output_;
  const ChosenDrive& drive_;
  AdviseAnswer& answer_;
  RepackArguments repack_;
};

}  // namespace

Result<AdviseAnswer> get_advice(const AskedAdvice& asked, GameStart start, const Output& output) {
  const PlaceInputs& inputs = asked.inputs;
  SKL_TRY(const auto drive, drive_of_content(asked.drive, inputs.content));
  AdviseAnswer answer = {.paths = inputs.content, .drive = drive.judged};
  if (drive.judged.is_solid_state) return answer;
  answer.game = std::move(start.command);
  answer.beside = std::move(start.beside);
  Advising advising(asked, output, drive, answer);
  SKL_TRY_DO(inputs.traces.paths.empty() ? advising.by_play() : advising.by_recordings());
  return answer;
}

}  // namespace seekless

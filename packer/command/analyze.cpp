// seekless analyze: shows how a recorded program reads, how much of that could be saved, and
// whether reading is what it waits for.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/analysis/analyse_trace.h"
#include "packer/answer/analyze_answer.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/listed_games.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/progress.h"
#include "packer/content/game_folder.h"
#include "packer/host/terminal.h"
#include "packer/page/picture_of_trace.h"
#include "packer/page/picture_places.h"
#include "packer/profile/trace_reader.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

struct AnalyzeArguments {
  TraceOptions traces;
  ContentOptions content;
  std::vector<std::string> only;
  std::string scenario;
  std::string drive;  // empty: the drive that the content lies on
  size_t top = 10;
  std::string html;
  Output answer;
};

// Reads one trace, for both the figures and the picture.
Result<void> analyse(const std::string& trace, const AnalyzeArguments& arguments,
                     TraceReader& reader, const AnalysisSettings& settings, Analysis& analysis,
                     PicturePage& page) {
  PictureOfTrace picture = picture_for(settings.content, arguments.traces.paths.size());
  const bool draws = !arguments.html.empty();
  SKL_TRY(auto runs,
          analyse_trace(trace, reader, settings, draws ? &picture : nullptr, analysis.warnings));
  if (!arguments.scenario.empty())
    std::erase_if(runs, [&](const RunFigures& run) { return run.scenario != arguments.scenario; });
  if (draws)
    page.pictures.push_back(
        picture_of_runs(picture, trace_stem(trace), runs, analysis.drive, settings.content));
  std::ranges::move(runs, std::back_inserter(analysis.runs));
  return {};
}

Result<void> analyse_all(const AnalyzeArguments& arguments, TraceReader& reader,
                         AnalysisSettings settings, Analysis& analysis, PicturePage& page) {
  std::unique_ptr<Progress> progress;
  for (const std::string& trace : arguments.traces.paths) {
    settings.begin_pass = [&](const std::string& what) {
      progress.reset();
      progress.reset(new Progress(Progress::of_reading(what, {trace})));
    };
    SKL_TRY_DO(analyse(trace, arguments, reader, settings, analysis, page));
  }
  for (std::string& warning : reader.warnings()) analysis.warnings.push_back(std::move(warning));
  if (analysis.runs.empty() && !arguments.scenario.empty())
    return wrong_usage({.place = "--scenario",
                        .expected = "a scenario of the traces",
                        .found = fmt::format("'{}'", arguments.scenario)});
  analysis.assumptions = assumptions_of(analysis.runs, settings.content != nullptr);
  return {};
}

// Returns true if only another recording can tell more.
bool needs_recording(VerdictReason reason) {
  return reason == VerdictReason::recording || reason == VerdictReason::names_only ||
         reason == VerdictReason::no_reads || reason == VerdictReason::other_content;
}

std::vector<std::string> words_to_record(const std::string& folder) {
  std::vector<std::string> words = {"record", "--"};
  const GameStart start = folder.empty() ? GameStart() : start_of_game(folder);
  if (start.command.empty()) words.emplace_back("GAME");
  words.insert(words.end(), start.command.begin(), start.command.end());
  return words;
}

// Returns this command line with --verbose added, and without options for output files.
std::vector<std::string> words_to_show_more(const Command& command) {
  const std::vector<std::string> given = command.again({}, {"--verbose"});
  const auto end = std::ranges::find(given, "--");  // traces follow
  std::vector<std::string> words;
  for (auto word = given.begin(); word != end; ++word) {
    if ((*word == "--json" || *word == "--html") && word + 1 != end)
      ++word;
    else if (!word->starts_with("--json=") && !word->starts_with("--html="))
      words.push_back(*word);
  }
  words.insert(words.end(), end, given.end());
  return words;
}

// Returns the next command to recommend: 'record' if a better recording is needed, 'advise' if a
// way is worth it, or else this command with details that show why none is. Empty if there is
// nothing more to show.
std::vector<std::string> next_of_analysis(const AnalyzeArguments& arguments, const Command& command,
                                          const Content& content, const Verdict& verdict) {
  std::vector<std::string> folders = arguments.content.roots;
  if (std::string folder = game_folder(content); folders.empty() && !folder.empty())
    folders.push_back(std::move(folder));
  if (needs_recording(verdict.reason))
    return words_to_record(folders.empty() ? "" : folders.front());
  // A trace that came through a pipe can't be read again.
  const bool is_piped =
      std::ranges::find(arguments.traces.paths, "-") != arguments.traces.paths.end();
  if (verdict.judgement == Judgement::not_worth_it && !verdict.drive.is_solid_state) {
    if (is_piped || arguments.answer.is_verbose()) return {};
    return words_to_show_more(command);
  }
  if (verdict.judgement != Judgement::worth_it) return {};
  // The user replaces GAME with the game's folder.
  if (folders.empty()) folders.emplace_back("GAME");
  std::vector<std::string> words = {"advise"};
  words.insert(words.end(), folders.begin(), folders.end());
  if (!is_piped) add_traces(words, arguments.traces);
  return words;
}

Result<void> tell(const AnalyzeArguments& arguments, const Command& command, const Content& content,
                  const AnalyzeAnswer& answer, PicturePage page) {
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  if (!arguments.html.empty()) {
    page.lead = answer.verdict.text;
    add_disk_places(page);
    SKL_TRY_DO(write_picture(arguments.html, page));
  }
  arguments.answer.next(next_of_analysis(arguments, command, content, answer.verdict));
  return arguments.answer.result(to_json(answer));
}

// Holds the content, or else those recorded files that exist here.
struct AnalyzedFiles {
  Content content;
  KeptTraces kept = {};   // traces that came through pipes
  bool is_named = false;  // true if --content was given
};

Result<AnalyzedFiles> read_files(const AnalyzeArguments& arguments) {
  AnalyzedFiles files;
  files.is_named = !arguments.content.roots.empty();
  SKL_TRY(auto content, files.is_named
                            ? read_content(arguments.content, arguments.answer)
                            : recorded_content(arguments.traces, arguments.only, &files.kept));
  files.content = std::move(content);
  return files;
}

Result<ChosenDrive> drive_for(const AnalyzeArguments& arguments, const AnalyzedFiles& files) {
  return drive_of_content(arguments.drive, files.is_named ? arguments.content.roots
                                                          : one_file_of_each_disk(files.content));
}

// Returns where the files lie: on the drive that --drive names, one after the other.
Result<LyingFiles> lying_files(const AnalyzeArguments& arguments, const Content& content,
                               const KeptRuns& runs, const DriveProfile& drive) {
  if (!arguments.drive.empty()) return side_by_side(content, drive);
  return where_files_lie(content, sources_read(runs), drive);
}

// Returns none if the files are larger than the drive, or if none was found.
std::optional<ShippedLoads> as_shipped(const AnalyzeArguments& arguments, const Content& content,
                                       const KeptRuns& runs, const DriveProfile& drive,
                                       Analysis& analysis) {
  if (content.sources.empty()) return std::nullopt;
  const auto lying = lying_files(arguments, content, runs, drive);
  if (!lying) return std::nullopt;
  auto shipped = shipped_loads(runs, content, drive, *lying);
  if (shipped.loads.empty()) return std::nullopt;
  analysis.assumptions.push_back(kOfVerdict + ("are those of " + lying->assumption + "."));
  return shipped;
}

Result<void> run(const AnalyzeArguments& arguments, const Command& command) {
  SKL_TRY(auto files, read_files(arguments));
  SKL_TRY(const auto chosen, drive_for(arguments, files));
  const Locator locator(files.content);
  const KnownContent known = {files.content, locator};
  KeptRuns kept(files.content);
  SKL_TRY(auto reader,
          reader_of(arguments.traces, files.is_named ? &files.content : nullptr, arguments.only));
  reader.take(std::move(files.kept));
  Analysis analysis = {.drive = chosen.profile.name};
  PicturePage page = {.title = "When and where each byte was read"};
  const AnalysisSettings settings = {.drive = chosen.profile,
                                     .content = files.is_named ? &known : nullptr,
                                     .top = arguments.top,
                                     .also_replayed = &kept,
                                     .begin_pass = {}};
  SKL_TRY_DO(analyse_all(arguments, reader, settings, analysis, page));
  auto shipped = as_shipped(arguments, files.content, kept, chosen.profile, analysis);
  Verdict verdict =
      judge_runs(analysis.runs, std::move(shipped), chosen.judged, arguments.scenario);
  return tell(arguments, command, files.content,
              {.analysis = std::move(analysis), .verdict = std::move(verdict)}, std::move(page));
}

}  // namespace

void add_analyze(const Command& tool) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  const Command command =
      tool.add("analyze", "Show how a recorded program reads, and whether it waits for its reads");
  arguments->traces.add_to(command, "TRACE");
  arguments->content.add_to(command, false);
  arguments->content.scan.flat_archives = true;
  command.option({.name = "--only",
                  .takes = "GLOB",
                  .help = "Use only reads of paths that match after --map; repeatable"},
                 arguments->only);
  command.option({.name = "--scenario", .takes = "NAME", .help = "Use only this scenario's reads"},
                 arguments->scenario);
  add_drive_option(command, arguments->drive, "the drive that holds the content");
  command.option({.name = "--top",
                  .takes = "N",
                  .help = "Maximum number of lines in each list",
                  .range = OptionRange{1, 1000}},
                 arguments->top);
  command.option(
      {.name = "--html", .takes = "FILE", .help = "Also write the traces as an HTML page"},
      arguments->html);
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "If a recorded file is on this machine, its real place on the disk is used.\n--verbose also "
      "shows the figures of each run, and where its reads went.\nExample:\n  strace -f -ttt -y -T "
      "-o menu.1.strace game\n  seekless analyze menu.1.strace --only '/usr/share/games/**'");
  command.runs([arguments, command] { return run(*arguments, command); });
}

}  // namespace seekless

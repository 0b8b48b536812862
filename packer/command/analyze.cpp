// seekless analyze: shows how a recorded program reads, how much of that could be saved, and
// whether reading is what it waits for.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/analysis/analyse_trace.h"
#include "packer/answer/analyze_answer.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/real_places.h"
#include "packer/command/progress.h"
#include "packer/host/terminal.h"
#include "packer/page/picture_of_trace.h"
#include "packer/page/picture_places.h"
#include "packer/profile/trace_reader.h"
#include "packer/trace/both_sinks.h"
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

// Keeps each run, and passes it on to be replayed.
class KeptReplay final : public TraceRuns {
 public:
  KeptReplay(const Content& content, TraceRuns& replay) : runs_(content), replay_(replay) {}

  const KeptRuns& runs() const { return runs_; }

  void start_trace(std::string scenario) override {
    runs_.start_trace(scenario);
    replay_.start_trace(std::move(scenario));
  }
  void finish_trace() override {
    runs_.finish_trace();
    replay_.finish_trace();
  }
  Result<void> begin(const TraceHeader& header) override {
    return BothSinks(runs_, &replay_).begin(header);
  }
  Result<void> add_path(std::string_view path) override {
    return BothSinks(runs_, &replay_).add_path(path);
  }
  Result<void> add_event(const Event& event) override {
    return BothSinks(runs_, &replay_).add_event(event);
  }
  Result<void> add_mark(const Mark& mark) override {
    return BothSinks(runs_, &replay_).add_mark(mark);
  }

 private:
  KeptRuns runs_;
  TraceRuns& replay_;
};

Result<void> tell(const AnalyzeArguments& arguments, const AnalyzeAnswer& answer,
                  PicturePage page) {
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  if (!arguments.html.empty()) {
    add_disk_places(page);
    SKL_TRY_DO(write_picture(arguments.html, page));
  }
  return arguments.answer.result(to_json(answer));
}

Result<void> run(const AnalyzeArguments& arguments) {
  SKL_TRY(const auto chosen, drive_of_content(arguments.drive, arguments.content.roots));
  std::optional<Content> content;
  std::optional<Locator> locator;
  std::optional<KnownContent> known;
  std::unique_ptr<BaselineReplay> shipped;
  std::optional<KeptReplay> kept;
  if (!arguments.content.roots.empty()) {
    SKL_TRY(auto scanned, read_content(arguments.content, arguments.answer));
    content.emplace(std::move(scanned));
    locator.emplace(*content);
    known.emplace(*content, *locator);
    shipped = replay_as_shipped(*content, chosen.profile);
    // The files don't lie on the drive that --drive names, so their real places don't count then.
    if (shipped && arguments.drive.empty()) kept.emplace(*content, *shipped);
  }
  SKL_TRY(auto reader, reader_of(arguments.traces, content ? &*content : nullptr, arguments.only));
  Analysis analysis = {.drive = chosen.profile.name};
  PicturePage page = {.title = "When and where each byte was read"};
  TraceRuns* const replayed = shipped.get();
  const AnalysisSettings settings = {.drive = chosen.profile,
                                     .content = known ? &*known : nullptr,
                                     .top = arguments.top,
                                     .also_replayed = kept ? &*kept : replayed,
                                     .begin_pass = {}};
  SKL_TRY_DO(analyse_all(arguments, reader, settings, analysis, page));
  Verdict verdict = judge_runs(analysis.runs, shipped.get(), chosen.judged, arguments.scenario);
  if (kept && !verdict.loads.empty()) {
    const auto as_they_lie =
        seconds_where_files_lie(*content, arguments.content.roots, kept->runs(), chosen.profile);
    if (as_they_lie) verdict = judge_again(verdict, *as_they_lie, shipped->fit());
    analysis.assumptions.emplace_back(
        as_they_lie ? "The verdict's seconds count the files where they lie now. They include the "
                      "time to find them, as far as the file system tells."
                    : "The verdict's seconds assume files side by side, because the system doesn't "
                      "tell where all of them lie.");
  }
  return tell(arguments, {.analysis = std::move(analysis), .verdict = std::move(verdict)},
              std::move(page));
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
                  .help = "Look only at paths that match, as --map rewrote them; repeatable"},
                 arguments->only);
  command.option(
      {.name = "--scenario", .takes = "NAME", .help = "Look only at this scenario of the traces"},
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
      "One run is shown alone, two runs of one scenario side by side, more runs in a\n"
      "table. --verbose also shows where a single run's reads went.\n"
      "Example:\n"
      "  strace -f -ttt -y -T -o menu.1.strace game\n"
      "  seekless analyze menu.1.strace --only '/usr/share/games/**'");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless

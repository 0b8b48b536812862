// seekless build: content and recordings into packs, by a build file, doing again only what has
// changed. Result: as in schemas/build-result.schema.json.
#include "packer/build/build.h"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "packer/build/build_inputs.h"
#include "packer/build/fingerprint.h"
#include "packer/build/step_inputs.h"
#include "packer/command/build_json.h"
#include "packer/command/build_pages.h"
#include "packer/command/build_text.h"
#include "packer/command/command.h"
#include "packer/command/inputs.h"
#include "packer/command/judging.h"
#include "packer/command/plan_options.h"
#include "packer/command/progress.h"
#include "packer/command/step_options.h"
#include "packer/host/files.h"
#include "packer/host/named_content.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

struct Arguments {
  std::string build_file = kBuildFileName;
  std::string layout;
  BuildOptions options;
  bool explains = false;
  unsigned threads = 0;
  std::string output;  // folder of the packs, instead of the build file's
  StepOptions step;
  Output answer;
};

TraceOptions traces_as_told(const BuildFile& file, const std::vector<std::string>& traces) {
  TraceOptions options;
  options.paths = traces;
  options.maps = file.maps;
  options.lenient = file.lenient;
  options.marks.splits = file.splits;
  options.marks.marks = file.marks;
  options.marks.runs = file.runs;
  return options;
}

// What packs of the build save, against what was replayed. None without both.
Result<Json> verdict_of(const BuildFile& file, ShippedLoads shipped, const DriveProfile& drive) {
  if (!file.packs || (shipped.loads.empty() && shipped.lacking == Lacking::nothing)) return Json();
  const JudgedDrive judged = judge_for(drive, !file.plan.drives.empty()).judged;
  const auto io = runtime::make_system_file_io();
  const auto after = swept_seconds({*io, file.packs->folder}, drive);
  if (!after) return std::unexpected(after.error());
  // What no layout has a place for yet is read as it is today.
  for (JudgedLoad& load : shipped.loads) load.after_s = load.as_shipped_s;
  set_after(shipped.loads, *after);
  return to_json(judge(judged, Way::packs, std::move(shipped.loads), shipped.lacking));
}

// Of the program itself, by its bytes: two builds of one version may decide otherwise. Some
// milliseconds; the same sources give the same bytes. And of the drive that the build file names.
Result<uint64_t> fingerprint_of(const BuildFile& file) {
  const auto program = fingerprint_of_file("/proc/self/exe");
  if (!program) return std::unexpected(program.error());
  Fingerprint print;
  print.add(std::string_view(SEEKLESS_VERSION));
  print.add(*program);
  if (!file.plan.drives.empty()) {
    const std::string drive = drive_beside(file.plan.drives.front(), file.path);
    constexpr uint64_t kLimitBytes = 64 * 1024;
    if (drive.ends_with(".json")) {
      const auto text = read_text(drive, kLimitBytes);
      if (!text) return std::unexpected(text.error());
      print.add(std::string_view(*text));
    }
  }
  return print.value();
}

Result<void> copy_layout(const BuildFile& file, const std::string& to) {
  constexpr uint64_t kMostBytes = uint64_t{4} << 30;
  const auto text = read_text(file.state + "/" + kLayoutName, kMostBytes);
  if (!text) return std::unexpected(text.error());
  return write_text(to, *text);
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<void> write_report(const BuildFile& file, const Json& json) {
  if (file.reports.json.empty()) return {};
  return write_text(file.reports.json, dumped(json));
}

Result<Json> build(const Arguments& arguments, const BuildFile& file) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  auto plan = plan_options_of(file.plan, file.path);
  if (!plan) return std::unexpected(plan.error());
  std::unique_ptr<Progress> progress;
  BuildStages stages;
  stages.plan = *std::move(plan);
  ShippedLoads shipped;
  stages.profile = [&](const auto& traces, const Content& content,
                       auto& warnings) -> Result<Profile> {
    const TraceOptions told = traces_as_told(file, traces);
    // Asked for again for the zips' own content.
    const bool is_first = shipped.loads.empty();
    const auto replay = is_first ? replay_as_shipped(content, stages.plan.drive) : nullptr;
    auto profile = profile_traces(told, {.roots = file.roots, .scan = file.scan}, content,
                                  Output::collecting(warnings), nullptr, replay.get());
    if (profile && is_first)
      shipped = replay ? shipped_loads(*replay) : ShippedLoads{.lacking = Lacking::room};
    if (profile && is_first && !arguments.options.checks_only)
      if (auto written = write_shipped_loads(shipped, file); !written)
        return std::unexpected(written.error());
    return profile;
  };
  stages.begin_work = [&](const std::string& what, uint64_t total_bytes) {
    progress = std::make_unique<Progress>(what, total_bytes);
    return &progress->done_bytes();
  };
  BuildOptions options = arguments.options;
  const unsigned told = arguments.threads > 0 ? arguments.threads : file.threads;
  options.threads = told > 0 ? told : default_reading_threads();
  stages.plan.threads = told > 0 ? told : default_threads();
  const auto print = fingerprint_of(file);
  if (!print) return std::unexpected(print.error());
  options.fingerprint = *print;
  const auto outcome = run_build(file, options, stages);
  progress.reset();
  if (!outcome) return std::unexpected(outcome.error());
  const auto last = last_outcome(file, seconds());
  if (outcome->is_current && last) {
    const auto written = write_report(file, *last);
    return written ? Result<Json>(*last) : std::unexpected(written.error());
  }
  if (shipped.loads.empty() && outcome->traces > 0) shipped = read_shipped_loads(file);
  Json json = to_json(file, *outcome, shipped.costs, options.checks_only, seconds());
  if (last) keep_reasons(*last, json);
  for (const std::string& warning : outcome->warnings) arguments.answer.warn(warning);
  if (options.checks_only) return json;
  remember_content(file.roots);  // so that its layout can be packed by itself
  auto verdict = verdict_of(file, std::move(shipped), stages.plan.drive);
  if (!verdict) return std::unexpected(verdict.error());
  if (!verdict->is_null()) json["verdict"] = *std::move(verdict);
  auto written = write_text(file.state + "/" + kOutcomeName, dumped(json));
  if (written) written = write_report(file, json);
  if (written) written = write_build_pages(file, stages.plan.drive, json, last);
  return written ? Result<Json>(std::move(json)) : std::unexpected(written.error());
}

Result<BuildFile> read_file(const Arguments& arguments) {
  auto file = read_build_file(arguments.build_file);
  if (!file || arguments.output.empty()) return file;
  if (!file->packs)
    return wrong_usage({.file = file->path,
                        .expected = "packs among the outputs, for --output",
                        .found = "none",
                        .advice = "leave --output out, or add packs"});
  file->packs->folder = arguments.output;
  return file;
}

Result<void> tell_step(const Arguments& arguments, const BuildFile& file) {
  if (!arguments.step.wants_inputs()) return arguments.step.finish("", {}, arguments.answer);
  const auto inputs = step_inputs(file);
  if (!inputs) return std::unexpected(inputs.error());
  const std::string output = file.packs  ? file.packs->folder + "/" + runtime::kCatalogName
                             : file.zips ? file.zips->folder
                                         : file.path;
  return arguments.step.finish(output, *inputs, arguments.answer);
}

Result<void> run(const Arguments& arguments) {
  const auto file = read_file(arguments);
  if (!file) return std::unexpected(file.error());
  const auto json = build(arguments, *file);
  if (!json) return std::unexpected(json.error());
  const bool changed = (*json)["changed"].get<bool>();
  if (!arguments.options.checks_only && !arguments.layout.empty())
    if (auto copied = copy_layout(*file, arguments.layout); !copied) return copied;
  arguments.answer.line(build_text(*json, arguments.explains));
  if (!arguments.options.checks_only)
    if (auto told = tell_step(arguments, *file); !told) return told;
  if (auto answered = arguments.answer.result(*json); !answered) return answered;
  if (!arguments.options.checks_only || !changed) return {};
  return failed({.file = file->path,
                 .expected = "outputs that are up to date",
                 .found = "some that would be written",
                 .advice = "run it without --check"});
}

}  // namespace

void add_build(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("build", "Make packs as a build file says, again only where need be");
  command->add_option("FILE", arguments->build_file, "The build file, or its folder")
      ->capture_default_str();
  command->add_flag("--explain", arguments->explains, "Say why each thing was done");
  command->add_flag("--check,--dry-run", arguments->options.checks_only,
                    "Write nothing; exit with 1 if something would be written");
  command->add_flag("--paranoid", arguments->options.reads_all,
                    "Read all content, whatever sizes and times of files say");
  command->add_flag("--relayout", arguments->options.makes_new_layout,
                    "Make a new layout instead of keeping that of the lock: faster loads, and a "
                    "large patch");
  command
      ->add_option("--patch-price", arguments->options.patch_price,
                   "Make a new layout if it saves so many seconds, over all scenarios, for each MB "
                   "that its patch is larger")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS_PER_MB");
  command->add_option("--layout", arguments->layout, "Write the layout that was used to this file")
      ->type_name("LAYOUT.json");
  command->add_option("-j,--threads", arguments->threads, "The result doesn't depend on it")
      ->check(CLI::Range(1, 64));
  command
      ->add_option("-o,--output", arguments->output,
                   "The packs' folder, instead of the build file's")
      ->type_name("DIR");
  arguments->step.add_to(*command);
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless init game\n  seekless build game");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless

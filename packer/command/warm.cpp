// seekless warm: fills the operating system's cache with what a scenario reads, in the order in
// which it lies on the disk: for games whose files can't be changed.
// Result: {command, scenario, files, missing: [path], left_out: [path], reads, bytes, wanted_bytes,
// cached_bytes, fetched_bytes, seconds, failures: [text]}
#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include "packer/command/command.h"
#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/progress.h"
#include "packer/command/trace_reader.h"
#include "packer/command/unmapped.h"
#include "packer/drive/drive.h"
#include "packer/host/counted.h"
#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/path/lies_in.h"
#include "packer/warm/cache_filler.h"
#include "packer/warm/wanted.h"
#include "packer/warm/warm_plan.h"

namespace seekless {
namespace {

constexpr size_t kExamples = 3;

struct Arguments {
  TraceOptions inputs;
  std::string scenario;
  std::string drive = "wd-black-1tb";
  uint64_t rate_bytes_per_s = 0;
  std::vector<std::string> content;
  bool takes_all = false;
  bool when_idle = false;
  Output answer;
};

enum class InputKind { trace, layout, pack_set };

// A layout's first keys are {"seekless": "layout"; all other files that aren't packs are traces. So
// is what can be read only once.
Result<InputKind> kind_of(const std::string& path) {
  if (path == "-") return InputKind::trace;
  if (path.ends_with(".skl") || kind_of_path(path) == PathKind::folder) return InputKind::pack_set;
  if (kind_of_path(path) == PathKind::other) return InputKind::trace;
  const auto stream = open_stream(path);
  if (!stream) return std::unexpected(stream.error());
  std::array<char, 64> front = {};
  const auto got = (*stream)->read(std::as_writable_bytes(std::span(front)));
  if (!got) return std::unexpected(got.error());
  const std::string_view text(front.data(), *got);
  const bool is_layout = text.find("\"seekless\"") != std::string_view::npos &&
                         text.find("\"layout\"") != std::string_view::npos;
  return is_layout ? InputKind::layout : InputKind::trace;
}

struct Inputs {
  Wanted wanted;
  std::set<std::string> left_out;  // read by traces, but not to be warmed
};

// Which files of traces are warmed: what lies in --content, or without it all but what any program
// reads.
Result<IsWanted> content_filter(const Arguments& arguments) {
  if (arguments.takes_all) return IsWanted();
  if (arguments.content.empty())
    return IsWanted([](std::string_view path) { return !is_of_the_system(path); });
  std::vector<std::string> roots;
  for (const std::string& root : arguments.content) {
    if (kind_of_path(root) == PathKind::missing) return failed_call(root, "open", ENOENT);
    roots.push_back(canonical_path(root));
  }
  return IsWanted([roots](std::string_view path) {
    const std::string file = canonical_path(std::string(path));
    return std::ranges::any_of(roots, [&](const std::string& root) { return lies_in(file, root); });
  });
}

// Whether it knows the scenario.
Result<bool> add_input(const Arguments& arguments, const std::string& path, TraceReader& reader,
                       const IsWanted& is_wanted, Inputs& inputs) {
  Wanted& wanted = inputs.wanted;
  const auto kind = kind_of(path);
  if (!kind) return std::unexpected(kind.error());
  if (*kind == InputKind::pack_set) return add_wanted_of_pack_set(path, arguments.scenario, wanted);
  if (*kind == InputKind::layout) {
    const auto layout = read_layout(path);
    if (!layout) return std::unexpected(layout.error());
    return add_wanted_of_layout(*layout, arguments.scenario, wanted);
  }
  WantedOfTrace trace(wanted, arguments.scenario, scenario_of_file(path), is_wanted);
  const auto report = reader.read(path, trace);
  if (!report) return std::unexpected(report.error());
  for (const std::string& warning : report->warnings) arguments.answer.warn(warning);
  inputs.left_out.insert(trace.left_out().begin(), trace.left_out().end());
  return trace.found_scenario();
}

// Of archives' entries, at which scenarios are to begin.
Result<std::optional<Content>> content_to_split(const Arguments& arguments) {
  if (arguments.content.empty() || arguments.inputs.marks.splits.empty()) return std::nullopt;
  auto content = scan_content(arguments.content, {});
  if (!content) return std::unexpected(content.error());
  return *std::move(content);
}

Result<void> add_inputs(const Arguments& arguments, Inputs& inputs) {
  const auto is_wanted = content_filter(arguments);
  if (!is_wanted) return std::unexpected(is_wanted.error());
  const auto content = content_to_split(arguments);
  if (!content) return std::unexpected(content.error());
  auto reader = TraceReader::create(arguments.inputs, *content ? &**content : nullptr);
  if (!reader) return std::unexpected(reader.error());
  bool found = false;
  const auto progress = Progress::of_reading("reading recordings", arguments.inputs.paths);
  for (const std::string& path : arguments.inputs.paths) {
    const auto added = add_input(arguments, path, *reader, *is_wanted, inputs);
    if (!added) return std::unexpected(added.error());
    found = found || *added;
  }
  for (const std::string& warning : reader->warnings()) arguments.answer.warn(warning);
  if (!found)
    return wrong_usage({.place = "--scenario",
                        .expected = "one that the inputs know",
                        .found = fmt::format("'{}'", arguments.scenario),
                        .advice = "leave it out to warm all that they know"});
  return {};
}

struct Files {
  std::vector<FileExtents> files;  // those that aren't there have no bytes
  std::vector<std::string> missing;
  std::vector<std::string> unplaced;  // whose file system doesn't tell
};

Files look_up(const std::vector<std::string>& paths) {
  Files found;
  for (const std::string& path : paths) {
    FileExtents file;
    file.path = path;
    if (kind_of_path(path) != PathKind::file) {
      found.missing.push_back(path);
    } else if (auto extents = read_extents(path)) {
      file = std::move(*extents);
    } else if (const auto source = open_source(path)) {
      file.size_bytes = (*source)->size_bytes();
      found.unplaced.push_back(path);
    } else {
      found.missing.push_back(path);
    }
    found.files.push_back(std::move(file));
  }
  return found;
}

std::string examples(const std::vector<std::string>& paths) {
  std::string text;
  for (size_t i = 0; i < std::min(kExamples, paths.size()); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  return text;
}

void warn_of(const Files& found, uint64_t bytes, const Output& answer) {
  if (!found.missing.empty())
    answer.warn(
        fmt::format("{} of {} {} there or can't be read, such as {}; where files are named "
                    "otherwise here, say so with --map",
                    found.missing.size(), counted(found.files.size(), "file"),
                    found.missing.size() == 1 ? "isn't" : "aren't", examples(found.missing)));
  if (!found.unplaced.empty())
    answer.warn(
        fmt::format("{} files lie on a file system that doesn't tell where, such as {}; "
                    "they are read last, in the order of their bytes",
                    found.unplaced.size(), examples(found.unplaced)));
  struct sysinfo memory = {};
  if (sysinfo(&memory) != 0) return;
  const uint64_t total = uint64_t{memory.totalram} * memory.mem_unit;
  if (bytes > total / 2)
    answer.warn(
        fmt::format("{:.0f} MB are wanted, of {:.0f} MB of memory: what is read first may "
                    "be gone before it is used; name one --scenario",
                    megabytes(bytes), megabytes(total)));
}

Json to_json(const Arguments& arguments, const Files& found, const Inputs& inputs,
             const WarmReport& report) {
  Json json = {{"command", "warm"},           {"scenario", arguments.scenario},
               {"files", found.files.size()}, {"reads", report.reads},
               {"bytes", report.bytes},       {"wanted_bytes", report.wanted_bytes}};
  json["cached_bytes"] = report.knows_cached ? Json(report.cached_bytes) : Json(nullptr);
  json["fetched_bytes"] = report.fetched_bytes;
  json["seconds"] = report.seconds;
  json["missing"] = found.missing;
  json["left_out"] = inputs.left_out;
  json["failures"] = report.failures;
  return json;
}

std::unexpected<Error> nothing_to_read(const Arguments& arguments, const Files& found,
                                       const Inputs& inputs) {
  if (found.files.empty() && !inputs.left_out.empty())
    return failed({.file = arguments.inputs.paths.front(),
                   .expected = "reads of content",
                   .found = fmt::format("only of other files, such as {}",
                                        examples({inputs.left_out.begin(), inputs.left_out.end()})),
                   .advice = "name what to read with --content, or read all with --all"});
  return failed(
      {.file = arguments.inputs.paths.front(),
       .expected = "reads of files that are there",
       .found = found.missing.empty()
                    ? "none at all"
                    : fmt::format("only of files that aren't, such as {}", examples(found.missing)),
       .advice = "name their place here with --map FROM=TO"});
}

void print(const Arguments& arguments, const Files& found, const WarmReport& report) {
  const std::string cached = report.knows_cached
                                 ? fmt::format("{:.1f} MB of them", megabytes(report.cached_bytes))
                                 : "an unknown part of them, as the system doesn't say,";
  const double rate = report.seconds > 0 ? megabytes(report.fetched_bytes) / report.seconds : 0;
  arguments.answer.line(fmt::format(
      "{}: {:.1f} MB of {} in {}; {} in memory before; {:.1f} MB read in {:.2f} s "
      "({:.0f} MB/s)",
      arguments.scenario.empty() ? "all" : arguments.scenario, megabytes(report.bytes),
      counted(found.files.size() - found.missing.size(), "file"), counted(report.reads, "sweep"),
      cached, megabytes(report.fetched_bytes), report.seconds, rate));
}

Result<void> run(const Arguments& arguments) {
  const auto drive = get_drive(arguments.drive);
  if (!drive) return std::unexpected(drive.error());
  Inputs inputs;
  if (auto added = add_inputs(arguments, inputs); !added) return added;
  const Files found = look_up(inputs.wanted.paths());
  const std::vector<WarmRead> reads =
      plan_warm(found.files, inputs.wanted.take_ranges(), Drive(*drive).break_even_gap_bytes(0));
  uint64_t bytes = 0;
  for (const WarmRead& read : reads) bytes += read.length_bytes;
  warn_of(found, bytes, arguments.answer);
  if (bytes == 0) return nothing_to_read(arguments, found, inputs);
  if (arguments.when_idle)
    if (auto lowered = read_when_idle(); !lowered) return lowered;

  note_interrupts();
  Progress progress("warming", bytes);
  const WarmReport report =
      fill_cache(found.files, reads,
                 {.bytes_per_s = arguments.rate_bytes_per_s, .done_bytes = &progress.done_bytes()});
  progress.finish();
  print(arguments, found, report);
  if (!inputs.left_out.empty())
    arguments.answer.line(fmt::format(
        "left out: {}; --all reads {}, too",
        counted(inputs.left_out.size(), "file that isn't content", "files that aren't content"),
        inputs.left_out.size() == 1 ? "it" : "them"));
  for (const std::string& failure : report.failures) arguments.answer.warn(failure);
  if (auto written = arguments.answer.result(to_json(arguments, found, inputs, report)); !written)
    return written;
  if (report.was_stopped)
    return failed({.place = "warm", .found = "the run interrupted", .advice = "run it again"});
  if (!report.failures.empty())
    return failed({.file = found.files.front().path,
                   .found = counted(report.failures.size(), "read") + " that failed",
                   .advice = "the game will meet them too: see the system's log for the disk"});
  return {};
}

}  // namespace

void add_warm(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("warm", "Read what a scenario needs into memory, before the game does");
  arguments->inputs.add_to(*command, "TRACE|LAYOUT.json|PACKSET");
  command->add_option("--scenario", arguments->scenario, "Only what this one reads [all of them]")
      ->type_name("NAME");
  CLI::Option* content =
      command
          ->add_option("--content", arguments->content,
                       "Of what recordings read, only what lies in these folders or files [all but "
                       "the system's own: libraries, drivers, fonts, caches]")
          ->type_name("PATH");
  command->add_flag("--all", arguments->takes_all, "Everything that recordings read")
      ->excludes(content);
  add_drive_option(*command, arguments->drive);
  command
      ->add_option("--rate", arguments->rate_bytes_per_s,
                   "Read no more than so many bytes a second, such as 20M")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("SIZE");
  command->add_flag("--idle", arguments->when_idle,
                    "Read only when nobody else does (obeyed by the BFQ scheduler)");
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless warm traces/*.lz4 --scenario map/rush && game");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless

#include "packer/command/inputs.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "packer/command/trace_reader.h"
#include "packer/command/unmapped.h"
#include "packer/host/counted.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

// Below this share of mapped bytes a trace and the content hardly belong together.
constexpr double kLeastMappedShare = 0.9;

Result<void> judge(const std::string& trace, const ImportReport& report, const Mapping& mapping,
                   const Content& content, const Output& output) {
  for (const std::string& warning : report.warnings) output.warn(warning);
  for (const UnparsedLine& line : report.first_unparsed)
    output.warn(fmt::format("{}: line {}: can't be parsed, and is left out: '{}'", trace,
                            line.number, line.text));
  if (mapping.asset_reads == 0)
    return damaged(
        {.file = trace,
         .expected = "reads of the content",
         .found = mapping.unmapped.empty()
                      ? "none at all"
                      : fmt::format("{:.1f} MB of other files, such as {}",
                                    megabytes(mapping.read_bytes), examples_of_unmapped(mapping)),
         .advice = advice_for_unmapped(mapping, content)});
  const double share = share_without_system(mapping);
  if (share < kLeastMappedShare)
    output.warn(fmt::format(
        "{}: only {:.0f} % of the bytes read are of the content (the system's "
        "own files aside); the others are of {}; {}",
        trace, share * 100, examples_of_unmapped(mapping), advice_for_unmapped(mapping, content)));
  return {};
}

// Of all traces, each path once, most bytes first.
std::vector<Mapping::Unmapped> unmapped_of(const std::vector<TraceMapping>& mappings) {
  std::map<std::string_view, Mapping::Unmapped> by_path;
  for (const TraceMapping& of : mappings)
    for (const Mapping::Unmapped& one : of.mapping.unmapped) {
      Mapping::Unmapped& sum = by_path[one.path];
      sum.path = one.path;
      sum.bytes += one.bytes;
      sum.reads += one.reads;
    }
  std::vector<Mapping::Unmapped> all;
  for (auto& [path, one] : by_path) all.push_back(std::move(one));
  std::ranges::stable_sort(all, std::ranges::greater(), &Mapping::Unmapped::bytes);
  return all;
}

std::string check_map_rule(const std::string& text) {
  const auto rule = PathMap::parse(text);
  return rule ? "" : rule.error().message;
}

}  // namespace

void ContentOptions::add_to(CLI::App& command, bool is_required) {
  command
      .add_option("--content", roots,
                  "Folders of loose files and zip archives, or single ones, up to the next option; "
                  "later ones win")
      ->required(is_required)
      ->type_name("PATH");
  command.add_flag("--keep-archives", scan.keep_archives,
                   "Put an archive's entries under its name, instead of one name space for all");
  command.add_flag("--fold-case", scan.fold_case,
                   "Take paths that differ only in the case of A-Z for the same");
  command
      .add_option("--opaque", scan.opaque, "Take archives that match as plain files; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_flag("--strict", scan.strict,
                   "Refuse what can't be packed (names that no path leads to, links that lead "
                   "nowhere), instead of leaving it out");
  command.add_option("--exclude", scan.exclude, "Leave out what matches; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

void TraceOptions::add_to(CLI::App& command, const std::string& positional) {
  command.add_option(positional, paths, "Traces of any known dialect; '-' is standard input")
      ->required();
  command
      .add_option("--map", maps,
                  "Content that the trace calls FROM is at TO; repeatable, the first that fits "
                  "counts")
      ->type_name("FROM=TO")
      ->check(check_map_rule)
      ->allow_extra_args(false);
  command.add_flag("--lenient", lenient, "Accept traces of which over 1 % can't be parsed");
  marks.add_to(command);
}

Result<ImportOptions> TraceOptions::import_options() const {
  ImportOptions options;
  options.lenient = lenient;
  for (const std::string& rule : maps) {
    auto map = PathMap::parse(rule);
    if (!map) return std::unexpected(map.error());
    options.path_maps.push_back(*std::move(map));
  }
  if (auto applied = marks.apply_to(options); !applied) return std::unexpected(applied.error());
  return options;
}

Result<Content> read_content(const ContentOptions& options, const Output& output) {
  auto content = scan_content(options.roots, options.scan);
  if (!content) return content;
  for (const std::string& warning : warnings_of(*content)) output.warn(warning);
  return content;
}

Result<Profile> profile_traces(const TraceOptions& options, const Content& content,
                               const Output& output, std::vector<TraceMapping>* mappings,
                               ContentRuns* runs) {
  auto reader = TraceReader::create(options, &content);
  if (!reader) return std::unexpected(reader.error());
  ProfileBuilder builder(content);
  BothSinks sinks(builder, runs);
  for (const std::string& trace : options.paths) {
    builder.start_trace(trace_stem(trace), scenario_of_file(trace));
    if (runs != nullptr) runs->start_trace(scenario_of_file(trace));
    const auto report = reader->read(trace, sinks);
    if (!report) return std::unexpected(report.error());
    if (runs != nullptr) runs->finish_trace();
    TraceMapping of{trace, builder.finish_trace()};
    if (auto judged = judge(trace, *report, of.mapping, content, output); !judged)
      return std::unexpected(judged.error());
    if (mappings != nullptr) mappings->push_back(std::move(of));
  }
  for (const std::string& warning : reader->warnings()) output.warn(warning);
  return builder.finish();
}

void tell_unmapped(const std::vector<TraceMapping>& mappings, const Output& output) {
  const std::vector<Mapping::Unmapped> all = unmapped_of(mappings);
  if (all.empty()) return;
  uint64_t bytes = 0;
  for (const Mapping::Unmapped& one : all) bytes += one.bytes;
  const std::string line =
      fmt::format("not of the content: {}, {:.1f} MB in {}", counted(all.size(), "file"),
                  megabytes(bytes), counted(mappings.size(), "recording"));
  output.line(line + (output.is_verbose() ? "" : "; --verbose lists them"));
  for (const Mapping::Unmapped& one : all)
    output.detail(fmt::format("  {:>12} bytes in {:>6} reads  {}", one.bytes, one.reads,
                              in_one_line(one.path)));
}

}  // namespace seekless

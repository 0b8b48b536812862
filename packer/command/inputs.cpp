#include "packer/command/inputs.h"

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/profile/profile_builder.h"

namespace seekless {
namespace {

// Below this share of mapped bytes a trace and the content hardly belong together.
constexpr double kLeastMappedShare = 0.9;
constexpr size_t kExamples = 3;

std::string megabytes(uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string examples_of_unmapped(const Mapping& mapping) {
  std::string text;
  for (size_t i = 0; i < std::min(kExamples, mapping.unmapped.size()); ++i)
    text += fmt::format("{}'{}' ({})", i == 0 ? "" : ", ", mapping.unmapped[i].path,
                        megabytes(mapping.unmapped[i].bytes));
  return text;
}

Result<void> judge(const std::string& trace, const ImportReport& report, const Mapping& mapping,
                   const Output& output) {
  for (const std::string& warning : report.warnings) output.warn(warning);
  if (mapping.asset_bytes == 0)
    return damaged({.file = trace,
                    .expected = "reads of the content",
                    .found = mapping.unmapped.empty() ? "none at all"
                                                      : fmt::format("{} of other files, such as {}",
                                                                    megabytes(mapping.read_bytes),
                                                                    examples_of_unmapped(mapping)),
                    .advice = "name the content's place in the trace with --map FROM=TO"});
  if (mapping.mapped_share() < kLeastMappedShare)
    output.warn(fmt::format(
        "{}: only {:.0f} % of the bytes read are of the content; the others are of {}. Import with "
        "--only, or add content or --map",
        trace, mapping.mapped_share() * 100, examples_of_unmapped(mapping)));
  return {};
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
}

Result<ImportOptions> TraceOptions::import_options() const {
  ImportOptions options;
  options.lenient = lenient;
  for (const std::string& rule : maps) {
    auto map = PathMap::parse(rule);
    if (!map) return std::unexpected(map.error());
    options.path_maps.push_back(*std::move(map));
  }
  return options;
}

Result<Content> read_content(const ContentOptions& options, const Output& output) {
  auto content = scan_content(options.roots, options.scan);
  if (!content) return content;
  if (!content->shadowed.empty()) {
    const Shadowed& first = content->shadowed.front();
    const Asset& winner = content->assets[first.winner];
    output.warn(fmt::format("{} entries are hidden by later ones, such as '{}' of {} by that of {}",
                            content->shadowed.size(), first.path,
                            content->sources[first.place.source].path,
                            content->sources[winner.place.source].path));
  }
  return content;
}

Result<Profile> profile_traces(const TraceOptions& options, const Content& content,
                               const Output& output) {
  auto import_options = options.import_options();
  if (!import_options) return std::unexpected(import_options.error());
  ProfileBuilder builder(content);
  for (const std::string& trace : options.paths) {
    builder.start_trace(trace_stem(trace), scenario_of_file(trace));
    const auto report = read_trace(trace, *import_options, builder);
    if (!report) return std::unexpected(report.error());
    const Mapping mapping = builder.finish_trace();
    if (auto judged = judge(trace, *report, mapping, output); !judged)
      return std::unexpected(judged.error());
  }
  return builder.finish();
}

}  // namespace seekless

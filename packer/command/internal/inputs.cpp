#include "packer/command/internal/inputs.h"

#include <fmt/format.h>

#include "packer/command/progress.h"
#include "packer/profile/unmapped.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

std::string check_map_rule(const std::string& text) {
  const auto rule = PathMap::parse(text);
  return rule ? "" : rule.error().message;
}

}  // namespace

void ContentOptions::add_to(CLI::App& command, bool is_required) {
  command
      .add_option("--content", roots,
                  "Folders of loose files and zip archives, or single ones, up to the next option; "
                  "later ones hide earlier ones")
      ->required(is_required)
      ->type_name("PATH");
  command.add_flag("--keep-archives", scan.keep_archives,
                   "Put an archive's entries under its name, instead of one name space for all");
  command.add_flag("--fold-case", scan.fold_case,
                   "Treat paths as the same if they differ only in the case of A-Z");
  command
      .add_option("--opaque", scan.opaque, "Treat archives that match as plain files; repeatable")
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
                  "The trace's FROM is TO on this machine; repeatable, first match wins")
      ->type_name("FROM=TO")
      ->check(check_map_rule)
      ->allow_extra_args(false);
  command.add_flag("--lenient", lenient, "Accept traces even if over 1 % can't be parsed");
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
  const Progress progress("reading content");
  auto content = scan_content(options.roots, options.scan);
  if (!content) return content;
  for (const std::string& warning : warnings_of(*content)) output.warn(warning);
  return content;
}

Result<TraceReader> reader_of(const TraceOptions& options, const Content* content,
                              std::vector<std::string> only) {
  auto import_options = options.import_options();
  if (!import_options) return std::unexpected(import_options.error());
  import_options->only = std::move(only);
  return TraceReader(options.paths, *std::move(import_options), content);
}

Result<Profile> read_profile_for(const std::string& path, const ContentOptions& content) {
  auto profile = read_profile(path);
  if (profile) leave_out(*profile, content.scan.exclude);
  return profile;
}

Result<Profile> profile_traces(const TraceOptions& options, const ContentOptions& content_options,
                               const Content& content, const Output& output,
                               std::vector<TraceMapping>* mappings, TraceRuns* runs) {
  auto reader = reader_of(options, &content);
  if (!reader) return std::unexpected(reader.error());
  const auto progress = Progress::of_reading("reading recordings", options.paths);
  auto read = profile_traces(
      *reader, content, {content_options.roots, content_options.scan.exclude, options.may_be_gone},
      [&](const std::string& warning) { output.warn(warning); }, runs);
  if (!read) return std::unexpected(read.error());
  if (mappings != nullptr) *mappings = std::move(read->mappings);
  return std::move(read->profile);
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

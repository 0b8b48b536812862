#include "packer/command/internal/inputs.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/command/progress.h"
#include "packer/host/files.h"
#include "packer/plan/plan_setting.h"
#include "packer/profile/recorded_files.h"
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

void ContentOptions::add_to(const Command& command, bool is_required) {
  command.option({.name = "--content",
                  .takes = "PATH",
                  .help = "Folders of loose files and zip archives, or single files. If two files "
                          "have the same path, the later one is used. The list ends at the next "
                          "option",
                  .is_required = is_required,
                  .takes_list = true},
                 roots);
  command.option(
      {.name = "--keep-archives",
       .help =
           "Put each archive's entries under the archive's name, instead of merging all archives"},
      scan.keep_archives);
  command.option({.name = "--fold-case", .help = std::string(plan_setting("fold_case").help)},
                 scan.fold_case);
  command.option({.name = "--opaque",
                  .takes = "GLOB",
                  .help = "Treat matching archives as plain files; repeatable"},
                 scan.opaque);
  command.option({.name = "--take-apart",
                  .takes = "GLOB",
                  .help = "Also take apart matching archives of engines (.pck, .pak, .bsa, .ba2, "
                          ".vpk, .rpa), as zips are; repeatable"},
                 scan.take_apart);
  command.option({.name = "--strict",
                  .help = "Fail if some content can't be packed (names that can't be paths, links "
                          "that lead nowhere), instead of leaving it out"},
                 scan.strict);
  command.option(
      {.name = "--exclude", .takes = "GLOB", .help = "Leave out matching paths; repeatable"},
      scan.exclude);
}

void TraceOptions::add_to(const Command& command, const std::string& positional, bool is_required,
                          const char* help) {
  command.option({.name = positional, .help = help, .is_required = is_required}, paths);
  command.option(
      {.name = "--map",
       .takes = "FROM=TO",
       .help = "The trace's path FROM is TO on this machine; repeatable, first match wins",
       .check = check_map_rule},
      maps);
  command.option(
      {.name = "--lenient", .help = "Accept traces even if over 1 % of the lines can't be parsed"},
      lenient);
  marks.add_to(command);
}

Result<ImportOptions> TraceOptions::import_options() const {
  ImportOptions options;
  options.lenient = lenient;
  for (const std::string& rule : maps) {
    SKL_TRY(auto map, PathMap::parse(rule));
    options.path_maps.push_back(std::move(map));
  }
  SKL_TRY_DO(marks.apply_to(options));
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
  SKL_TRY(auto import_options, options.import_options());
  import_options.only = std::move(only);
  return TraceReader(options.paths, std::move(import_options), content);
}

Result<Content> recorded_content(const TraceOptions& options, std::vector<std::string> only,
                                 KeptTraces* kept) {
  const auto is_file = [](const std::string& path) { return kind_of_path(path) == PathKind::file; };
  if (kept == nullptr && !std::ranges::all_of(options.paths, is_file)) return Content();
  SKL_TRY(auto reader, reader_of(options, nullptr, std::move(only)));
  const auto progress = Progress::of_reading("looking for recorded files", options.paths);
  RecordedFiles files;
  for (const std::string& path : options.paths) {
    SKL_TRY_DO(reader.keep(path));
    SKL_TRY_DROP(reader.read(path, files));
  }
  if (kept != nullptr) *kept = reader.take_kept();
  return files.content();
}

Result<Profile> read_profile_for(const std::string& path, const ContentOptions& content) {
  auto profile = read_profile(path);
  if (profile) leave_out(*profile, content.scan.exclude);
  return profile;
}

Result<Profile> profile_traces(const TraceOptions& options, const ContentOptions& content_options,
                               const Content& content, const Output& output,
                               std::vector<TraceMapping>* mappings, TraceRuns* runs) {
  SKL_TRY(auto reader, reader_of(options, &content));
  const auto progress = Progress::of_reading("reading recordings", options.paths);
  auto read = profile_traces(
      reader, content, {content_options.roots, content_options.scan.exclude, options.may_be_gone},
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

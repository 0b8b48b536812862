#include "packer/command/internal/warm_inputs.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "packer/answer/warm_answer.h"
#include "packer/base/paths.h"
#include "packer/command/progress.h"
#include "packer/host/files.h"
#include "packer/host/os_error.h"
#include "packer/profile/unmapped.h"

namespace seekless {
namespace {

// Selects the traces' files to warm: those in --content, or without it all but the system's own
// files, which any program reads.
Result<IsWanted> content_filter(const WarmSelection& selection) {
  if (selection.takes_all) return IsWanted();
  if (selection.content.empty())
    return IsWanted([](std::string_view path) { return !is_of_the_system(path); });
  std::vector<std::string> roots;
  for (const std::string& root : selection.content) {
    if (kind_of_path(root) == PathKind::missing) return failed_call(root, "open", ENOENT);
    roots.push_back(canonical_path(root));
  }
  return IsWanted([roots](std::string_view path) {
    const std::string file = canonical_path(std::string(path));
    return std::ranges::any_of(roots, [&](const std::string& root) { return lies_in(file, root); });
  });
}

// Returns true if the input knows the scenario.
Result<bool> add_input(const WarmSelection& selection, const std::string& path, TraceReader& reader,
                       const IsWanted& is_wanted, const Output& output, WarmInputs& inputs) {
  Wanted& wanted = inputs.wanted;
  SKL_TRY(const auto kind, kind_of_source(path));
  if (kind == WantedSource::pack_set)
    return add_wanted_of_pack_set(path, selection.scenario, wanted);
  if (kind == WantedSource::layout) {
    SKL_TRY(const auto layout, read_layout(path));
    return add_wanted_of_layout(layout, selection.scenario, wanted);
  }
  WantedOfTrace trace(wanted, selection.scenario, scenario_of_file(path), is_wanted);
  SKL_TRY(const auto report, reader.read(path, trace));
  for (const std::string& warning : report.warnings) output.warn(warning);
  inputs.left_out.insert(trace.left_out().begin(), trace.left_out().end());
  return trace.found_scenario();
}

// Finds archive entries at which scenarios begin.
Result<std::optional<Content>> content_to_split(const WarmSelection& selection) {
  if (selection.content.empty() || selection.inputs.marks.splits.empty()) return std::nullopt;
  SKL_TRY(auto content, scan_content(selection.content, {.any_names = true}));
  return content;
}

}  // namespace

Result<WarmInputs> read_warm_inputs(const WarmSelection& selection, const Output& output) {
  WarmInputs inputs;
  SKL_TRY(const auto is_wanted, content_filter(selection));
  SKL_TRY(const auto content, content_to_split(selection));
  SKL_TRY(auto reader, reader_of(selection.inputs, content ? &*content : nullptr));
  bool found = false;
  const auto progress = Progress::of_reading("reading recordings", selection.inputs.paths);
  for (const std::string& path : selection.inputs.paths) {
    SKL_TRY(const auto added, add_input(selection, path, reader, is_wanted, output, inputs));
    found = found || added;
  }
  for (const std::string& warning : reader.warnings()) output.warn(warning);
  if (!found)
    return wrong_usage({.place = "--scenario",
                        .expected = "one that the inputs know",
                        .found = fmt::format("'{}'", selection.scenario),
                        .advice = "leave it out to warm all that they know"});
  return inputs;
}

std::unexpected<Error> nothing_to_read(const std::string& input, const WarmFiles& found,
                                       const std::set<std::string>& left_out) {
  if (found.files.empty() && !left_out.empty())
    return failed({.file = input,
                   .expected = "reads of content",
                   .found = fmt::format("only of other files, such as {}",
                                        examples({left_out.begin(), left_out.end()})),
                   .advice = "name what to read with --content, or read all with --all"});
  return failed({.file = input,
                 .expected = "reads of files on this machine",
                 .found = found.missing.empty() ? "none at all"
                                                : fmt::format("only of missing files, such as {}",
                                                              examples(found.missing)),
                 .advice = "name their folder here with --map FROM=TO"});
}

}  // namespace seekless

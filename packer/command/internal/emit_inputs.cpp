#include "packer/command/internal/emit_inputs.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/plan_options.h"
#include "packer/command/progress.h"
#include "packer/emit/format.h"
#include "packer/emit/one_image.h"
#include "packer/host/files.h"
#include "packer/plan/plan_texts.h"
#include "packer/warm/wanted.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

Result<bool> is_layout(const EmitSelection& selection) {
  const std::vector<std::string>& paths = selection.inputs.paths;
  for (const std::string& path : paths) {
    SKL_TRY(const auto kind, kind_of_source(path));
    if (kind == WantedSource::pack_set)
      return wrong_usage(
          {.file = path, .expected = "recordings, or a layout", .found = "a folder or a pack"});
    if (kind == WantedSource::layout && paths.size() == 1) return true;
    if (kind == WantedSource::layout)
      return wrong_usage({.file = path,
                          .expected = "one layout, or recordings",
                          .found = fmt::format("a layout among {} inputs", paths.size())});
  }
  return false;
}

// Scans the content. Names that seekless can't pack are no error, because other packers accept
// them; they just get no order.
Result<Content> scan(const ContentOptions& files, const Output& answer) {
  const Progress progress("reading content");
  auto content = scan_content(files.roots, files.scan);
  if (content && content->unaddressable.count > 0)
    answer.warn(fmt::format("{} as unread, because no recording can name {}, such as {}",
                            counted(content->unaddressable.count, "file counts", "files count"),
                            content->unaddressable.count == 1 ? "it" : "them",
                            in_one_line(content->unaddressable.first)));
  return content;
}

Result<OneImageOptions> image_options(const EmitSelection& selection) {
  SKL_TRY(auto drive, get_drive(selection.drive));
  SKL_TRY(auto weights, parse_weights(selection.weights));
  return OneImageOptions{.drive = std::move(drive), .weights = std::move(weights)};
}

Result<Layout> order_of_recordings(const EmitSelection& selection, const Output& answer) {
  SKL_TRY(const auto options, image_options(selection));
  const ContentOptions files = {.roots = {selection.content}, .scan = {.opaque = {"**"}}};
  SKL_TRY(const auto content, scan(files, answer));
  SKL_TRY(const auto profile, profile_traces(selection.inputs, files, content, answer));
  const Progress progress("planning");
  return lay_in_one_image(profile, content, options);
}

}  // namespace

void EmitSelection::add_to(const Command& command) {
  std::vector<std::string> names;
  for (const EmitFormat& known : emit_formats()) names.emplace_back(known.name);
  command.option({.name = "FORMAT",
                  .help = fmt::format("Format of the list: {}", fmt::join(names, ", ")),
                  .values = names,
                  .is_required = true},
                 format);
  inputs.add_to(command, "TRACE|LAYOUT.json", true,
                "Traces in any known dialect, or a single layout; '-' is standard input");
  command.option({.name = "--content",
                  .takes = "DIR",
                  .help = "Folder the other packer will pack",
                  .is_required = true},
                 content);
  command.option({.name = "--scenario",
                  .takes = "NAME",
                  .help = "Use only this scenario's reads",
                  .usual = "all scenarios'"},
                 scenario);
  add_drive_option(command, drive);
  command.option(option_text(plan_setting("weights")), weights);
}

Result<Layout> read_emitted_layout(const EmitSelection& selection, const Output& answer) {
  SKL_TRY(const auto has_layout, is_layout(selection));
  if (has_layout) return read_layout(selection.inputs.paths.front());
  return order_of_recordings(selection, answer);
}

}  // namespace seekless

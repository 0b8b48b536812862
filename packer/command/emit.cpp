// seekless emit: writes the order in which files are read, for another packer.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/emit_answer.h"
#include "packer/command/internal/emit_inputs.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

struct EmitArguments {
  EmitSelection selection;
  std::string prefix;
  bool has_prefix = false;
  std::string output;
  Output answer;
};

Result<const EmitFormat*> get_format(const EmitArguments& arguments) {
  const EmitFormat* format = find_emit_format(arguments.selection.format);
  if (!arguments.has_prefix || format->takes_prefix) return format;
  return wrong_usage({.place = "--prefix",
                      .expected = "a format whose paths can have a prefix",
                      .found = fmt::format("'{}'", arguments.selection.format),
                      .advice = "leave it out, and give the packed folder with --content"});
}

Result<FileOrder> get_order(const EmitArguments& arguments) {
  const EmitSelection& selection = arguments.selection;
  if (const PathKind kind = kind_of_path(selection.content); kind != PathKind::folder)
    return wrong_usage({.file = selection.content,
                        .expected = "a folder for --content",
                        .found = kind == PathKind::missing ? "nothing" : "a file"});
  SKL_TRY(const auto contents, list_contents(selection.content));
  SKL_TRY(const auto layout, read_emitted_layout(selection, arguments.answer));
  auto order = order_files(layout, canonical_path(selection.content), contents, selection.scenario);
  if (order && order->read.empty())
    return failed({.file = selection.content,
                   .expected = "files that the inputs read",
                   .found = order->elsewhere.count == 0
                                ? "none"
                                : "none, but others, such as " + order->elsewhere.first,
                   .advice = "give the folder that was recorded; if its path was another then, "
                             "name that with --map"});
  return order;
}

Result<void> run(const EmitArguments& arguments) {
  SKL_TRY(const auto format, get_format(arguments));
  SKL_TRY(const auto order, get_order(arguments));
  SKL_TRY(const auto emission,
          emit(*format, order, arguments.has_prefix ? arguments.prefix : format->prefix));
  const EmitAnswer answer = {.output = arguments.output,
                             .folder = arguments.selection.content,
                             .format = *format,
                             .order = order,
                             .emission = emission};
  for (const std::string& warning : warnings_of(answer)) arguments.answer.warn(warning);
  SKL_TRY_DO(write_text(arguments.output, emission.list.text));
  if (arguments.output != "-") arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_emit(const Command& tool) {
  auto arguments = std::make_shared<EmitArguments>();
  const Command command =
      tool.add("emit", "Write the load order of a folder's files, for another packer");
  arguments->selection.add_to(command);
  command.option({.name = "--prefix",
                  .takes = "TEXT",
                  .help = "Text in front of each path: the folder's place in the image",
                  .usual = "none, or '../../../' for unreal"},
                 arguments->prefix);
  command.option({.name = "-o,--output",
                  .takes = "FILE",
                  .help = "Output file for the list; '-' is stdout",
                  .is_required = true},
                 arguments->output);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless emit mksquashfs traces/*.lz4 --content env -o order\n"
      "  mksquashfs env env.squashfs -b 1M -sort order");
  command.runs([arguments, command] {
    arguments->has_prefix = command.has("--prefix");
    return run(*arguments);
  });
}

}  // namespace seekless

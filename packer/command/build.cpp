// seekless build: content and recordings into packs, by a build file, doing again only what has
// changed. Result: as in schemas/build-result.schema.json.
#include <memory>

#include "packer/command/build_options.h"
#include "packer/command/build_outputs.h"
#include "packer/command/build_stages.h"
#include "packer/page/build_text.h"
#include "packer/project/step_inputs.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

Result<void> tell_step(const BuildArguments& arguments, const BuildFile& file) {
  if (!arguments.step.wants_inputs()) return arguments.step.finish("", {}, arguments.answer);
  const auto inputs = step_inputs(file);
  if (!inputs) return std::unexpected(inputs.error());
  const std::string output = file.packs  ? file.packs->folder + "/" + runtime::kCatalogName
                             : file.zips ? file.zips->folder
                                         : file.path;
  return arguments.step.finish(output, *inputs, arguments.answer);
}

Result<void> run(const BuildArguments& arguments) {
  const auto file = arguments.read_file();
  if (!file) return std::unexpected(file.error());
  const auto json = run_stages(arguments, *file);
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
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* command =
      app.add_subcommand("build", "Make the packs of a build file, and redo only what changed");
  arguments->add_to(*command);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless

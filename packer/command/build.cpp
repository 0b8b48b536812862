// seekless build: content and recordings into packs, by a build file, doing again only what has
// changed. Result: as in schemas/build-result.schema.json.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "packer/answer/build_text.h"
#include "packer/command/internal/build_options.h"
#include "packer/command/internal/build_outputs.h"
#include "packer/command/internal/build_stages.h"
#include "packer/project/step_inputs.h"
#include "packer/words/figures.h"
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

// For CI: whether the update from the lock's release is small enough.
Result<void> check_update(const BuildArguments& arguments, const BuildFile& file,
                          const Json& json) {
  const Json& patch = json["patch"];
  if (patch.is_null())
    return wrong_usage({.file = file.path,
                        .expected = "a lock of the last release, to compare with",
                        .found = "none",
                        .advice = "name a lock in the build file, and build once"});
  const auto written = patch["clients"]["grid"]["written_bytes"].get<uint64_t>();
  if (static_cast<double>(written) <= *arguments.most_update_gb * 1e9) {
    arguments.answer.line(fmt::format("the update writes {}, of {} GB that it may",
                                      bytes_text(written), *arguments.most_update_gb));
    return {};
  }
  std::string assets;
  for (size_t i = 0; i < std::min<size_t>(3, patch["assets"].size()); ++i)
    assets += fmt::format("{}'{}'", i == 0 ? ", most for " : ", ",
                          patch["assets"][i]["path"].get<std::string>());
  return failed(
      {.file = file.path,
       .expected = fmt::format("an update that writes {} GB at most", *arguments.most_update_gb),
       .found = bytes_text(written) + assets,
       .advice = "split the release, lower \"rewrite_price\", or allow more"});
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
  if (arguments.most_update_gb) return check_update(arguments, *file, *json);
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
  command->callback([arguments, &chosen] {
    arguments->options.checks_only |= arguments->most_update_gb.has_value();
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace seekless

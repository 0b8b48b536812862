// seekless build: makes packs from content and recordings, as a build file says. It redoes only
// what has changed.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/build_options.h"
#include "packer/command/internal/build_outputs.h"
#include "packer/command/internal/build_stages.h"
#include "packer/command/internal/next_step.h"
#include "packer/project/step_inputs.h"
#include "packer/words/figures.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

Result<void> tell_step(const BuildArguments& arguments, const BuildFile& file) {
  if (!arguments.step.wants_inputs()) return arguments.step.finish("", {}, arguments.answer);
  SKL_TRY(const auto inputs, step_inputs(file));
  const std::string output = file.packs  ? file.packs->folder + "/" + runtime::kCatalogName
                             : file.zips ? file.zips->folder
                                         : file.path;
  return arguments.step.finish(output, inputs, arguments.answer);
}

// Fails, for CI, if the update from the lock's release is larger than allowed.
Result<void> check_update(const BuildArguments& arguments, const BuildAnswer& build) {
  if (!build.patch)
    return wrong_usage({.file = build.build_file,
                        .expected = "a lock of the last release, to compare with",
                        .found = "none",
                        .advice = "name a lock in the build file, and build once"});
  const uint64_t written = build.patch->written_bytes();
  if (static_cast<double>(written) <= *arguments.most_update_gb * 1e9) {
    arguments.answer.line(fmt::format("the update writes {}, of {} GB that it may",
                                      bytes_text(written), *arguments.most_update_gb));
    return {};
  }
  const std::vector<CostlyAsset>& costly = build.patch->assets;
  std::string assets;
  for (size_t i = 0; i < std::min<size_t>(3, costly.size()); ++i)
    assets += fmt::format("{}'{}'", i == 0 ? ", most for " : ", ", costly[i].path);
  return failed(
      {.file = build.build_file,
       .expected = fmt::format("an update that writes {} GB at most", *arguments.most_update_gb),
       .found = bytes_text(written) + assets,
       .advice = "split the release, lower \"rewrite_price\", or allow more"});
}

// Returns the next command: the build, if this was a check that found outputs missing, or else one
// that inspects what was built.
CommandWords next_of(const BuildArguments& arguments, const BuildFile& file,
                     const BuildAnswer& build, const Command& command) {
  if (arguments.options.checks_only)
    return build.is_changed && !arguments.most_update_gb ? command.again({"--check"})
                                                         : CommandWords();
  if (!file.packs) return {};
  return {build.is_changed ? "verify" : "info", file.packs->folder};
}

Result<void> run(const BuildArguments& arguments, const Command& command) {
  SKL_TRY(const auto file, arguments.read_file());
  SKL_TRY(const auto build, run_stages(arguments, file));
  const bool checks_only = arguments.options.checks_only;
  if (!checks_only && !arguments.layout.empty()) SKL_TRY_DO(copy_layout(file, arguments.layout));
  arguments.answer.line(to_text(build, arguments.explains));
  arguments.answer.next(next_of(arguments, file, build, command));
  if (!checks_only) SKL_TRY_DO(tell_step(arguments, file));
  SKL_TRY_DO(arguments.answer.result(to_json(build)));
  if (arguments.most_update_gb) return check_update(arguments, build);
  if (!checks_only || !build.is_changed) return {};
  return failed({.file = file.path,
                 .expected = "outputs that are up to date",
                 .found = "some that would be written",
                 .advice = "run it without --check"});
}

}  // namespace

void add_build(const Command& tool) {
  auto arguments = std::make_shared<BuildArguments>();
  const Command command =
      tool.add("build", "Make the packs that a build file describes; redo only what changed");
  arguments->add_to(command);
  command.runs([arguments, command] {
    arguments->options.checks_only |= arguments->most_update_gb.has_value();
    return run(*arguments, command);
  });
}

}  // namespace seekless

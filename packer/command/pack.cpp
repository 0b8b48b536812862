// seekless pack: writes the packs of a layout.
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/pack_answer.h"
#include "packer/command/internal/pack_arguments.h"
#include "packer/pack/pack_action.h"
#include "packer/pack/pack_set_writer.h"
#include "packer/pack/source_places.h"
#include "packer/words/counted.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

Result<void> tell_step(const PackArguments& arguments, const Layout& layout) {
  std::vector<std::string> inputs = {arguments.layout};
  if (arguments.step.wants_inputs())
    for (const PackInputs& pack : inputs_of_packs(layout))
      inputs.insert(inputs.end(), pack.files.begin(), pack.files.end());
  return arguments.step.finish(arguments.output + "/" + runtime::kCatalogName, inputs,
                               arguments.answer);
}

Result<void> pack_all(const PackArguments& arguments, const Layout& layout) {
  const auto start = std::chrono::steady_clock::now();
  uint64_t total_bytes = 0;
  for (const LaidPack& pack : layout.packs) total_bytes += pack.size_bytes();
  Progress progress("packing", total_bytes);
  SKL_TRY(auto packs, write_pack_set(layout, arguments.write_options(progress), arguments.output));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();
  const PackAnswer answer = {
      .folder = arguments.output, .packs = std::move(packs), .seconds = seconds};
  arguments.answer.line(to_text(answer));
  arguments.answer.next({"verify", arguments.output});
  SKL_TRY_DO(tell_step(arguments, layout));
  return arguments.answer.result(to_json(answer));
}

Result<void> check(const PackArguments& arguments) {
  if (!arguments.list_packs && arguments.output.empty())
    return wrong_usage({.file = arguments.layout,
                        .expected = "--output, which says where the packs go",
                        .found = "none",
                        .advice = "name a folder with -o, or ask for --list-packs"});
  if (!arguments.packs_folder.empty() && arguments.only != kCatalogAction)
    return wrong_usage({.file = arguments.layout,
                        .expected = "--packs together with --only catalog",
                        .found = "--packs alone",
                        .advice = "leave it out: only the catalog is made from packs"});
  return {};
}

Result<void> check_sources(const PackArguments& arguments, const Layout& layout) {
  if (arguments.allows_outside || arguments.only == kCatalogAction) return {};
  const auto out =
      check_source_places(layout, arguments.layout, folders_of_content(arguments.layout));
  if (!out) return std::unexpected(out.error());
  if (out->count > 0)
    arguments.answer.warn(
        fmt::format("{} read through links that lead out of the content, such as {}",
                    counted(out->count, "file is", "files are"), out->first));
  return {};
}

Result<void> run(const PackArguments& arguments) {
  SKL_TRY_DO(check(arguments));
  SKL_TRY(const auto layout, read_layout(arguments.layout));
  if (arguments.list_packs) return list_packs(arguments, layout);
  SKL_TRY_DO(check_sources(arguments, layout));
  return arguments.only.empty() ? pack_all(arguments, layout) : pack_one(arguments, layout);
}

}  // namespace

PackWriteOptions PackArguments::write_options(Progress& progress) const {
  return {.codec = codec == "auto"  ? std::nullopt
                   : codec == "lz4" ? std::optional(format::Codec::lz4)
                                    : std::optional(format::Codec::raw),
          .threads = threads,
          .done_bytes = &progress.done_bytes()};
}

void add_pack(const Command& tool) {
  auto arguments = std::make_shared<PackArguments>();
  const Command command = tool.add("pack", "Write the packs of a layout");
  command.option(
      {.name = "LAYOUT", .help = "A layout made by 'seekless plan'", .is_required = true},
      arguments->layout);
  command.option({.name = "-o,--output",
                  .takes = "PATH",
                  .help = "Output folder: new, empty, or with an earlier pack set, which is "
                          "replaced. With --only, a file or any folder"},
                 arguments->output);
  command.option({.name = "--codec",
                  .help = "How blocks are stored. raw: uncompressed; lz4: compressed with LZ4; "
                          "auto: lz4 in each pack whose content was at least an eighth smaller in "
                          "its original archives, raw in the others",
                  .values = {"auto", "raw", "lz4"}},
                 arguments->codec);
  command.option({.name = "-j,--threads",
                  .help = "Number of threads; doesn't change the result",
                  .range = OptionRange{1, 64}},
                 arguments->threads);
  command.option(
      {.name = "--only",
       .takes = "NAME",
       .help = "Make only this pack, from the layout and the pack's own content. With 'catalog', "
               "make only the catalog, from the layout and the finished packs"},
      arguments->only);
  command.option(
      {.name = "--packs",
       .takes = "DIR",
       .help =
           "With --only catalog: folder of the finished packs, if they aren't beside the catalog"},
      arguments->packs_folder);
  command.option(
      {.name = "--list-packs",
       .help = "List the packs, and with --json the files that each is made from; write nothing",
       .not_with = {"--only"}},
      arguments->list_packs);
  command.option(
      {.name = "--allow-outside",
       .help = "Read any file that the layout names. By default, 'pack' reads only files "
               "below the working folder, below the layout's folder, and in content that "
               "you have planned or built from"},
      arguments->allows_outside);
  arguments->step.add_to(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless pack layout.json -o packs\n"
      "  seekless pack layout.json --list-packs --json -\n"
      "  seekless pack layout.json --only menu -o packs/menu.skl --depfile menu.d");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless

// seekless pack --only: writes one pack of a layout, or the catalog, as a step of its own.
// --list-packs tells a build system which steps there are.
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/pack_answer.h"
#include "packer/command/internal/pack_arguments.h"
#include "packer/host/files.h"
#include "packer/pack/pack_action.h"

namespace seekless {
namespace {

// Returns the path of the file to write. If the output is a folder, the file in it gets the name
// that the set gives it.
std::string output_file(const PackArguments& arguments) {
  const std::string& output = arguments.output;
  if (output.ends_with('/')) return output + pack_file_name(arguments.only);
  if (kind_of_path(output) == PathKind::folder)
    return output + "/" + pack_file_name(arguments.only);
  return output;
}

std::string folder_of(const std::string& file) {
  const size_t slash = file.find_last_of('/');
  return slash == std::string::npos ? "." : file.substr(0, slash + 1);
}

Result<void> make_catalog(const PackArguments& arguments, const Layout& layout,
                          const std::string& file) {
  const std::string folder =
      arguments.packs_folder.empty() ? folder_of(file) : arguments.packs_folder;
  SKL_TRY(const auto id, write_catalog_of(layout, folder, file));
  const CatalogAnswer answer = {.file = file, .id = id, .packs = layout.packs.size()};
  arguments.answer.line(to_text(answer));
  std::vector<std::string> inputs = {arguments.layout};
  for (const LaidPack& pack : layout.packs)
    inputs.push_back(
        fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", pack_file_name(pack.name)));
  SKL_TRY_DO(arguments.step.finish(file, inputs, arguments.answer));
  return arguments.answer.result(to_json(answer));
}

Result<void> make_pack(const PackArguments& arguments, const Layout& layout,
                       const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  SKL_TRY(const auto index, find_pack(layout, arguments.only, arguments.layout));
  const LaidPack& pack = layout.packs[index];
  Progress progress("packing", pack.size_bytes());
  SKL_TRY(auto written, write_single_pack(layout, pack, arguments.write_options(progress), file));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();
  const PackOneAnswer answer = {
      .name = arguments.only, .file = file, .pack = std::move(written), .seconds = seconds};
  arguments.answer.line(to_text(answer));
  if (arguments.step.wants_inputs() || !arguments.step.stamp.empty()) {
    std::vector<std::string> inputs = inputs_of_packs(layout)[index].files;
    inputs.push_back(arguments.layout);
    SKL_TRY_DO(arguments.step.finish(file, inputs, arguments.answer));
  }
  return arguments.answer.result(to_json(answer));
}

}  // namespace

Result<void> pack_one(const PackArguments& arguments, const Layout& layout) {
  const std::string file = output_file(arguments);
  return arguments.only == kCatalogAction ? make_catalog(arguments, layout, file)
                                          : make_pack(arguments, layout, file);
}

Result<void> list_packs(const PackArguments& arguments, const Layout& layout) {
  const PackListAnswer answer = {.layout = arguments.layout, .packs = inputs_of_packs(layout)};
  if (!answer.packs.empty()) arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

}  // namespace seekless

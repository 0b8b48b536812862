// seekless pack --only: one pack of a layout, or the catalog, as a step of its own; and
// --list-packs, which tells a build system what steps there are.
#include <chrono>

#include <fmt/format.h>

#include "packer/answer/pack_answer.h"
#include "packer/command/internal/pack_arguments.h"
#include "packer/host/files.h"
#include "packer/pack/pack_action.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

std::string file_name_of(std::string_view pack) {
  return fmt::format("{}.skl", pack);
}

// A folder stands for the file in it that has the set's own name.
std::string output_file(const PackArguments& arguments) {
  const std::string& output = arguments.output;
  if (output.ends_with('/')) return output + file_name_of(arguments.only);
  if (kind_of_path(output) == PathKind::folder) return output + "/" + file_name_of(arguments.only);
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
  const auto id = write_catalog_of(layout, folder, file);
  if (!id) return std::unexpected(id.error());
  arguments.answer.line(
      fmt::format("{}: the catalog of {}", file, counted(layout.packs.size(), "pack")));
  std::vector<std::string> inputs = {arguments.layout};
  for (const LaidPack& pack : layout.packs)
    inputs.push_back(
        fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", file_name_of(pack.name)));
  if (auto done = arguments.step.finish(file, inputs, arguments.answer); !done) return done;
  return arguments.answer.result({{"command", "pack"},
                                  {"only", arguments.only},
                                  {"file", file},
                                  {"id", fmt::format("{:016x}", *id)}});
}

Result<void> make_pack(const PackArguments& arguments, const Layout& layout,
                       const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  const auto index = find_pack(layout, arguments.only, arguments.layout);
  if (!index) return std::unexpected(index.error());
  const LaidPack& pack = layout.packs[*index];
  Progress progress("packing", pack.size_bytes());
  const auto written = write_single_pack(layout, pack, arguments.write_options(progress), file);
  if (!written) return std::unexpected(written.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();
  arguments.answer.line(fmt::format("{}: {}, {:.1f} MB in {:.1f} s", file,
                                    counted(written->placement.order.size(), "asset"),
                                    megabytes(written->file_bytes), seconds));
  if (arguments.step.wants_inputs() || !arguments.step.stamp.empty()) {
    std::vector<std::string> inputs = inputs_of_packs(layout)[*index].files;
    inputs.push_back(arguments.layout);
    if (auto done = arguments.step.finish(file, inputs, arguments.answer); !done) return done;
  }
  return arguments.answer.result({{"command", "pack"},
                                  {"only", arguments.only},
                                  {"file", file},
                                  {"seconds", seconds},
                                  {"packs", Json::array({to_json(*written)})}});
}

}  // namespace

Result<void> pack_one(const PackArguments& arguments, const Layout& layout) {
  const std::string file = output_file(arguments);
  return arguments.only == kCatalogAction ? make_catalog(arguments, layout, file)
                                          : make_pack(arguments, layout, file);
}

Result<void> list_packs(const PackArguments& arguments, const Layout& layout) {
  Json packs = Json::array();
  for (const PackInputs& pack : inputs_of_packs(layout)) {
    arguments.answer.line(fmt::format("{:<28} {:>7} {} {:>9.1f} MB of {}", pack.name, pack.assets,
                                      assets_noun(pack.assets), megabytes(pack.content_bytes),
                                      counted(pack.files.size(), "file")));
    packs.push_back({{"name", pack.name},
                     {"file", file_name_of(pack.name)},
                     {"kind", to_string(pack.kind)},
                     {"assets", pack.assets},
                     {"content_bytes", pack.content_bytes},
                     {"inputs", pack.files}});
  }
  return arguments.answer.result(
      {{"command", "pack"}, {"layout", arguments.layout}, {"packs", std::move(packs)}});
}

}  // namespace seekless

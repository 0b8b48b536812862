// seekless cat: one asset to standard output.
#include <memory>

#include "packer/command/internal/command.h"
#include "packer/command/open_set.h"
#include "packer/host/files.h"
#include "packer/host/runtime_error.h"
#include "packer/pack/unpack.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

struct CatArguments {
  std::string set;
  std::string path;
};

Result<void> run(const CatArguments& arguments) {
  const auto open = OpenSet::open(arguments.set);
  if (!open) return std::unexpected(open.error());
  const runtime::PackSet& set = open->set();
  const uint32_t found =
      set.find(hash_asset_path(arguments.path, set.hash_seed(), set.folds_case()));
  if (found == format::kEmptySlot)
    return failed({.file = arguments.set,
                   .place = "asset '" + arguments.path + "'",
                   .found = "none",
                   .advice = "'seekless list' shows what there is"});
  const auto place = set.place(found);
  if (!place) return from_runtime(place.error());
  return unpack_one(*place, [](std::span<const std::byte> part) {
    return write_text("-", {reinterpret_cast<const char*>(part.data()), part.size()});
  });
}

}  // namespace

void add_cat(const Command& tool) {
  auto arguments = std::make_shared<CatArguments>();
  const Command command = tool.add("cat", "Write one asset to standard output");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option({.name = "PATH", .help = "The asset's path", .is_required = true},
                 arguments->path);
  command.footer("Example:\n  seekless cat packs stats/mp/base/rules.json");
  command.without_progress();
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless

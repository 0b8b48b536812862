// seekless diff: what became of the assets from one pack set to another, and how large a patch is.
// Result: {command, old, new, old_id, new_id, added, removed, changed, moved, same: {assets,
// bytes}, changes: [{path, pack, change, old_bytes, new_bytes}], patch: {grid_bytes, chunk_bytes}}
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/progress.h"
#include "packer/host/counted.h"
#include "packer/patch/compare.h"
#include "packer/patch/patch_size.h"
#include "packer/patch/set_files.h"

namespace seekless {
namespace {

constexpr size_t kMostPrinted = 5;

struct Arguments {
  std::string old;
  std::string now;
  bool quick = false;
  bool all = false;
  Output answer;
};

struct Kind {
  const char* name;
  std::vector<AssetChange> SetChanges::*list;
};

constexpr Kind kKinds[] = {{"added", &SetChanges::added},
                           {"removed", &SetChanges::removed},
                           {"changed", &SetChanges::changed},
                           {"moved", &SetChanges::moved}};

uint64_t bytes_of(const std::vector<AssetChange>& changes) {
  uint64_t bytes = 0;
  for (const AssetChange& change : changes)
    bytes += change.new_bytes > 0 ? change.new_bytes : change.old_bytes;
  return bytes;
}

void print(const Arguments& arguments, const SetChanges& changes,
           const std::optional<PatchSize>& size) {
  if (size)
    arguments.answer.line(
        fmt::format("A patch is {:.3f} MB in chunks of a 1 MiB grid, {:.3f} MB in content-defined\n"
                    "chunks of 8 KiB on average, before compression.",
                    megabytes(size->grid_bytes), megabytes(size->chunk_bytes)));
  for (const Kind& kind : kKinds) {
    const std::vector<AssetChange>& list = changes.*kind.list;
    arguments.answer.line(fmt::format("  {:<8} {:>9} {} {:>11.3f} MB", kind.name, list.size(),
                                      assets_noun(list.size()), megabytes(bytes_of(list))));
    const size_t printed = arguments.all ? list.size() : std::min(kMostPrinted, list.size());
    for (size_t i = 0; i < printed; ++i)
      arguments.answer.line(fmt::format("      {}", list[i].path));
    if (printed < list.size())
      arguments.answer.line(
          fmt::format("      and {} more (--all lists them)", list.size() - printed));
  }
  arguments.answer.line(fmt::format("  {:<8} {:>9} {} {:>11.3f} MB", "same", changes.same_assets,
                                    assets_noun(changes.same_assets),
                                    megabytes(changes.same_bytes)));
}

Json to_json(const Arguments& arguments, const SetFiles& old, const SetFiles& now,
             const SetChanges& changes, const std::optional<PatchSize>& size) {
  Json json = {{"command", "diff"},
               {"old", arguments.old},
               {"new", arguments.now},
               {"old_id", id_text(old.id)},
               {"new_id", id_text(now.id)}};
  for (const Kind& kind : kKinds) {
    const std::vector<AssetChange>& list = changes.*kind.list;
    json[kind.name] = {{"assets", list.size()}, {"bytes", bytes_of(list)}};
  }
  json["same"] = {{"assets", changes.same_assets}, {"bytes", changes.same_bytes}};
  json["changes"] = Json::array();
  for (const Kind& kind : kKinds)
    for (const AssetChange& change : changes.*kind.list)
      json["changes"].push_back({{"path", change.path},
                                 {"pack", change.pack},
                                 {"change", kind.name},
                                 {"old_bytes", change.old_bytes},
                                 {"new_bytes", change.new_bytes}});
  if (size) json["patch"] = {{"grid_bytes", size->grid_bytes}, {"chunk_bytes", size->chunk_bytes}};
  return json;
}

struct Comparison {
  SetChanges changes;
  std::optional<PatchSize> size;
};

Result<Comparison> compare(const Arguments& arguments, const SetFiles& old, const SetFiles& now) {
  auto changes = compare_sets(old, now);
  if (!changes) return std::unexpected(changes.error());
  Comparison comparison = {*std::move(changes), std::nullopt};
  if (arguments.quick) return comparison;
  const auto measured = measure_patch(old, now);
  if (!measured) return std::unexpected(measured.error());
  comparison.size = *measured;
  return comparison;
}

Result<void> run(const Arguments& arguments) {
  const auto old = open_set_files(arguments.old);
  if (!old) return std::unexpected(old.error());
  const auto now = open_set_files(arguments.now);
  if (!now) return std::unexpected(now.error());
  Progress progress("comparing");
  const auto compared = compare(arguments, *old, *now);
  progress.finish();
  for (const SetFiles* set : {&*old, &*now})
    if (auto same = check_same_set(*set); !same) return same;
  if (!compared) return std::unexpected(compared.error());
  print(arguments, compared->changes, compared->size);
  return arguments.answer.result(to_json(arguments, *old, *now, compared->changes, compared->size));
}

}  // namespace

void add_diff(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "diff", "Tell what changed between two pack sets, and how large a patch is");
  command->add_option("OLD", arguments->old, "A pack set's folder, or a single pack")->required();
  command->add_option("NEW", arguments->now, "Another one of the same kind")->required();
  command->add_flag("--quick", arguments->quick,
                    "Compare tables alone: don't read the content to size a patch");
  command->add_flag("--all", arguments->all, "List every asset that changed");
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless diff packs-1.0 packs-1.1");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless

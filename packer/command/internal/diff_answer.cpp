#include "packer/command/internal/diff_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/answer/update_table.h"
#include "packer/host/terminal.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

constexpr size_t kMostPrinted = 5;

struct ChangeKind {
  const char* name;
  std::vector<AssetChange> SetChanges::*list;
};

constexpr ChangeKind kKinds[] = {{"added", &SetChanges::added},
                                 {"removed", &SetChanges::removed},
                                 {"changed", &SetChanges::changed},
                                 {"moved", &SetChanges::moved}};

uint64_t bytes_of(const std::vector<AssetChange>& changes) {
  uint64_t bytes = 0;
  for (const AssetChange& change : changes)
    bytes += change.new_bytes > 0 ? change.new_bytes : change.old_bytes;
  return bytes;
}

}  // namespace

void print(const DiffArguments& arguments, const Comparison& compared) {
  const SetChanges& changes = compared.changes;
  if (compared.update) {
    const PatchBytes size = compared.update->total();
    arguments.answer.line(
        fmt::format("A patch is {:.3f} MB in chunks of a 1 MiB grid, {:.3f} MB in content-defined\n"
                    "chunks of 8 KiB on average, before compression.",
                    megabytes(size.grid_bytes), megabytes(size.chunk_bytes)));
    arguments.answer.line(update_table(compared.clients, terminal_width()));
  }
  for (const ChangeKind& kind : kKinds) {
    const std::vector<AssetChange>& list = changes.*kind.list;
    arguments.answer.line(fmt::format("  {:<8} {:>9} {} {:>11.3f} MB", kind.name, list.size(),
                                      assets_noun(list.size()), megabytes(bytes_of(list))));
    const size_t printed = arguments.all ? list.size() : std::min(kMostPrinted, list.size());
    for (size_t i = 0; i < printed; ++i)
      arguments.answer.line(fmt::format("      {}", in_one_line(list[i].path)));
    if (printed < list.size())
      arguments.answer.line(
          fmt::format("      and {} more (--all lists them)", list.size() - printed));
  }
  arguments.answer.line(fmt::format("  {:<8} {:>9} {} {:>11.3f} MB", "same", changes.same_assets,
                                    assets_noun(changes.same_assets),
                                    megabytes(changes.same_bytes)));
}

Json to_json(const DiffArguments& arguments, const SetFiles& old, const SetFiles& now,
             const Comparison& compared) {
  const SetChanges& changes = compared.changes;
  Json json = {{"command", "diff"},
               {"old", arguments.old},
               {"new", arguments.now},
               {"old_id", id_text(old.id)},
               {"new_id", id_text(now.id)}};
  for (const ChangeKind& kind : kKinds) {
    const std::vector<AssetChange>& list = changes.*kind.list;
    json[kind.name] = {{"assets", list.size()}, {"bytes", bytes_of(list)}};
  }
  json["same"] = {{"assets", changes.same_assets}, {"bytes", changes.same_bytes}};
  json["changes"] = Json::array();
  for (const ChangeKind& kind : kKinds)
    for (const AssetChange& change : changes.*kind.list)
      json["changes"].push_back({{"path", change.path},
                                 {"pack", change.pack},
                                 {"change", kind.name},
                                 {"old_bytes", change.old_bytes},
                                 {"new_bytes", change.new_bytes}});
  if (!compared.update) return json;
  const PatchBytes size = compared.update->total();
  json["patch"] = {{"grid_bytes", size.grid_bytes}, {"chunk_bytes", size.chunk_bytes}};
  json["clients"] = compared.clients;
  return json;
}

}  // namespace seekless

#include "packer/answer/diff_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/answer/internal/update_table.h"
#include "packer/patch/set_files.h"
#include "packer/update/clients_json.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostChanges = 5;

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

std::string changes_text(const char* kind, const std::vector<AssetChange>& list, bool lists_all) {
  std::string text = fmt::format("  {:<8} {:>9} {} {:>11.3f} MB\n", kind, list.size(),
                                 assets_noun(list.size()), megabytes(bytes_of(list)));
  const size_t printed = lists_all ? list.size() : std::min(kMostChanges, list.size());
  for (size_t i = 0; i < printed; ++i) text += fmt::format("      {}\n", in_one_line(list[i].path));
  if (printed < list.size())
    text += fmt::format("      and {} more (--all lists them)\n", list.size() - printed);
  return text;
}

}  // namespace

std::string to_text(const DiffAnswer& answer, bool lists_all, size_t columns) {
  std::string text;
  if (answer.patch)
    text = fmt::format(
               "A patch takes {:.3f} MB in chunks of 1 MiB, {:.3f} MB in content-defined ones\n\n",
               megabytes(answer.patch->grid_bytes), megabytes(answer.patch->chunk_bytes)) +
           update_table(answer.clients, answer.drive, columns) + "\n";
  for (const ChangeKind& kind : kKinds)
    text += changes_text(kind.name, answer.changes.*kind.list, lists_all);
  return text + fmt::format("  {:<8} {:>9} {} {:>11.3f} MB", "same", answer.changes.same_assets,
                            assets_noun(answer.changes.same_assets),
                            megabytes(answer.changes.same_bytes));
}

Json to_json(const DiffAnswer& answer) {
  const SetChanges& changes = answer.changes;
  Json json = {{"command", "diff"},
               {"old", answer.old},
               {"new", answer.now},
               {"old_id", id_text(answer.old_id)},
               {"new_id", id_text(answer.new_id)}};
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
  if (!answer.patch) return json;
  json["patch"] = {{"grid_bytes", answer.patch->grid_bytes},
                   {"chunk_bytes", answer.patch->chunk_bytes}};
  json["clients"] = to_json(answer.clients, answer.drive);
  return json;
}

}  // namespace seekless

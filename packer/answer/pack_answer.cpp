#include "packer/answer/pack_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

struct Totals {
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t duplicate_bytes = 0;
  uint64_t saved_bytes = 0;
  uint64_t padding_bytes = 0;  // without padding of tables

  double padding_share() const {
    return file_bytes == 0 ? 0
                           : static_cast<double>(padding_bytes) / static_cast<double>(file_bytes);
  }
};

Totals totals_of(const std::vector<WrittenPack>& packs) {
  Totals totals;
  for (const WrittenPack& pack : packs) {
    totals.file_bytes += pack.file_bytes;
    totals.content_bytes += pack.content_bytes;
    totals.duplicate_bytes += pack.duplicate_bytes;
    totals.saved_bytes += pack.saved_bytes;
    totals.padding_bytes += pack.padding_bytes;
  }
  return totals;
}

Json pack_json(const WrittenPack& pack) {
  return {{"file", pack.file_name},
          {"assets", pack.placement.order.size()},
          {"file_bytes", pack.file_bytes},
          {"content_bytes", pack.content_bytes},
          {"duplicate_bytes", pack.duplicate_bytes},
          {"saved_bytes", pack.saved_bytes},
          {"table_bytes", pack.table_bytes},
          {"padding_bytes", pack.padding_bytes},
          {"blocks", pack.placement.blocks.size()},
          {"id", fmt::format("{:016x}", pack.pack_id)}};
}

}  // namespace

std::string to_text(const PackAnswer& answer) {
  const Totals totals = totals_of(answer.packs);
  std::string text = fmt::format(
      "{}: {}, {:.1f} MB in {:.1f} s; padding {:.2f} %, equal content saved {:.1f} MB{}",
      answer.folder, counted(answer.packs.size(), "pack"), megabytes(totals.file_bytes),
      answer.seconds, totals.padding_share() * 100, megabytes(totals.duplicate_bytes),
      totals.saved_bytes > 0 ? fmt::format(", compression {:.1f} MB", megabytes(totals.saved_bytes))
                             : "");
  for (const WrittenPack& pack : answer.packs)
    text +=
        fmt::format("\n  {:<28} {:>7} {} {:>9.1f} MB", pack.file_name, pack.placement.order.size(),
                    assets_noun(pack.placement.order.size()), megabytes(pack.file_bytes));
  return text;
}

Json to_json(const PackAnswer& answer) {
  const Totals totals = totals_of(answer.packs);
  Json json = {{"command", "pack"},
               {"folder", answer.folder},
               {"seconds", answer.seconds},
               {"bytes", totals.file_bytes},
               {"padding_share", totals.padding_share()}};
  json["packs"] = Json::array();
  for (const WrittenPack& pack : answer.packs) json["packs"].push_back(pack_json(pack));
  return json;
}

std::string to_text(const PackOneAnswer& answer) {
  return fmt::format("{}: {}, {:.1f} MB in {:.1f} s", answer.file,
                     counted(answer.pack.placement.order.size(), "asset"),
                     megabytes(answer.pack.file_bytes), answer.seconds);
}

Json to_json(const PackOneAnswer& answer) {
  return {{"command", "pack"},
          {"only", answer.name},
          {"file", answer.file},
          {"seconds", answer.seconds},
          {"packs", Json::array({pack_json(answer.pack)})}};
}

std::string to_text(const CatalogAnswer& answer) {
  return fmt::format("{}: the catalog of {}", answer.file, counted(answer.packs, "pack"));
}

Json to_json(const CatalogAnswer& answer) {
  return {{"command", "pack"},
          {"only", kCatalogAction},
          {"file", answer.file},
          {"id", fmt::format("{:016x}", answer.id)}};
}

std::string to_text(const PackListAnswer& answer) {
  std::string text;
  for (const PackInputs& pack : answer.packs)
    text += fmt::format("{}{:<28} {:>7} {} {:>9.1f} MB of {}", text.empty() ? "" : "\n", pack.name,
                        pack.assets, assets_noun(pack.assets), megabytes(pack.content_bytes),
                        counted(pack.files.size(), "file"));
  return text;
}

Json to_json(const PackListAnswer& answer) {
  Json packs = Json::array();
  for (const PackInputs& pack : answer.packs)
    packs.push_back({{"name", pack.name},
                     {"file", pack_file_name(pack.name)},
                     {"kind", to_string(pack.kind)},
                     {"assets", pack.assets},
                     {"content_bytes", pack.content_bytes},
                     {"inputs", pack.files}});
  return {{"command", "pack"}, {"layout", answer.layout}, {"packs", std::move(packs)}};
}

std::string pack_file_name(const std::string& pack) {
  return pack + ".skl";
}

}  // namespace seekless

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
  uint64_t padding_bytes = 0;  // tables not counted

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

}  // namespace

std::string packs_text(const std::string& folder, const std::vector<WrittenPack>& packs,
                       double seconds) {
  const Totals totals = totals_of(packs);
  std::string text = fmt::format(
      "{}: {}, {:.1f} MB in {:.1f} s; padding {:.2f} %, equal content saved {:.1f} MB{}", folder,
      counted(packs.size(), "pack"), megabytes(totals.file_bytes), seconds,
      totals.padding_share() * 100, megabytes(totals.duplicate_bytes),
      totals.saved_bytes > 0 ? fmt::format(", compression {:.1f} MB", megabytes(totals.saved_bytes))
                             : "");
  for (const WrittenPack& pack : packs)
    text +=
        fmt::format("\n  {:<28} {:>7} {} {:>9.1f} MB", pack.file_name, pack.placement.order.size(),
                    assets_noun(pack.placement.order.size()), megabytes(pack.file_bytes));
  return text;
}

Json packs_json(const std::string& folder, const std::vector<WrittenPack>& packs, double seconds) {
  const Totals totals = totals_of(packs);
  Json json = {{"command", "pack"},
               {"folder", folder},
               {"seconds", seconds},
               {"bytes", totals.file_bytes},
               {"padding_share", totals.padding_share()}};
  json["packs"] = Json::array();
  for (const WrittenPack& pack : packs) json["packs"].push_back(to_json(pack));
  return json;
}

Json to_json(const WrittenPack& pack) {
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

}  // namespace seekless

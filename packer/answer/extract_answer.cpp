#include "packer/answer/extract_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {

std::string to_text(const ExtractAnswer& answer) {
  const Unpacked& unpacked = answer.unpacked;
  return fmt::format(
      "{}: {}, {:.1f} MB{}", answer.folder, counted(unpacked.assets, "asset"),
      megabytes(unpacked.bytes),
      unpacked.kept_assets > 0 ? fmt::format("; {} were there already", unpacked.kept_assets) : "");
}

nlohmann::ordered_json to_json(const ExtractAnswer& answer) {
  return {{"command", "extract"},
          {"folder", answer.folder},
          {"assets", answer.unpacked.assets},
          {"kept_assets", answer.unpacked.kept_assets},
          {"bytes", answer.unpacked.bytes}};
}

}  // namespace seekless

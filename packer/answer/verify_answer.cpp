#include "packer/answer/verify_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "runtime/error.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostDamages = 20;
constexpr size_t kMostNames = 5;

std::string damaged_names(const std::vector<std::string>& assets) {
  std::string text;
  for (size_t i = 0; i < std::min(kMostNames, assets.size()); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", assets[i]);
  if (assets.size() > kMostNames) text += fmt::format(" and {} more", assets.size() - kMostNames);
  return text;
}

std::string damage_text(const Damage& damage) {
  const std::string place = damage.offset_bytes == runtime::kNoOffset
                                ? ""
                                : fmt::format("byte {}: ", damage.offset_bytes);
  std::string text = damage.what.starts_with(damage.file)
                         ? damage.what
                         : fmt::format("{}: {}{}", damage.file, place, damage.what);
  if (!damage.assets.empty()) text += fmt::format("; damaged: {}", damaged_names(damage.assets));
  return text;
}

}  // namespace

std::string damages_text(const VerifyReport& report) {
  std::string text;
  for (size_t i = 0; i < std::min(kMostDamages, report.damages.size()); ++i)
    text += (i == 0 ? "" : "\n") + damage_text(report.damages[i]);
  return text;
}

std::string checked_text(const VerifyReport& report) {
  return fmt::format("{}, {}, {:.1f} MB", counted(report.packs, "pack"),
                     counted(report.assets, "asset"), megabytes(report.bytes));
}

Json to_json(const VerifyReport& report) {
  Json json = {{"command", "verify"},
               {"packs", report.packs},
               {"assets", report.assets},
               {"bytes", report.bytes}};
  json["damages"] = Json::array();
  for (const Damage& damage : report.damages)
    json["damages"].push_back(
        {{"file", damage.file},
         {"what", damage.what},
         {"assets", damage.assets},
         {"unseen", damage.is_unseen},
         {"offset",
          damage.offset_bytes == runtime::kNoOffset ? Json() : Json(damage.offset_bytes)}});
  return json;
}

}  // namespace seekless

#include "packer/answer/mount_answer.h"

#include <fmt/format.h>

#include "packer/base/json_value.h"
#include "packer/words/counted.h"

namespace seekless {

std::string to_text(const MountAnswer& answer) {
  return fmt::format("{}: {} of {:.1f} MB; fusermount3 -u '{}' ends it", answer.folder,
                     counted(answer.files, "file"), megabytes(answer.bytes), answer.folder);
}

std::vector<std::string> warnings_of(const MountAnswer& answer) {
  std::vector<std::string> warnings;
  if (answer.left_out > 0)
    warnings.push_back(fmt::format("{}: {} left out, as no folder can have their names", answer.set,
                                   counted(answer.left_out, "file")));
  if (answer.scenarios_left_out > 0)
    warnings.push_back(fmt::format(
        "{}: {} without a folder in '.seekless', as no folder can have their names, or the set has "
        "files there",
        answer.set, counted(answer.scenarios_left_out, "scenario")));
  return warnings;
}

nlohmann::ordered_json to_json(const MountAnswer& answer) {
  return {{"command", "mount"},          {"set", answer.set},
          {"folder", answer.folder},     {"files", answer.files},
          {"bytes", answer.bytes},       {"scenarios", answer.scenarios},
          {"left_out", answer.left_out}, {"scenarios_left_out", answer.scenarios_left_out}};
}

MountAnswer mount_answer_of(const nlohmann::ordered_json& json) {
  return {.set = json.at("set").get<std::string>(),
          .folder = json.at("folder").get<std::string>(),
          .files = whole_member<uint64_t>(json, "files"),
          .bytes = whole_member<uint64_t>(json, "bytes"),
          .scenarios = whole_member<uint64_t>(json, "scenarios"),
          .left_out = whole_member<uint64_t>(json, "left_out"),
          .scenarios_left_out = whole_member<uint64_t>(json, "scenarios_left_out")};
}

}  // namespace seekless

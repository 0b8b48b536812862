#include "packer/answer/mark_answer.h"

#include <fmt/format.h>

namespace seekless {

std::string to_text(const MarkAnswer& answer) {
  return answer.scenario ? fmt::format("{}: {} began", answer.recording, *answer.scenario)
                         : fmt::format("{}: the scenario ended", answer.recording);
}

nlohmann::ordered_json to_json(const MarkAnswer& answer) {
  return {{"command", "mark"},
          {"process", answer.process},
          {"recording", answer.recording},
          {"scenario",
           answer.scenario ? nlohmann::ordered_json(*answer.scenario) : nlohmann::ordered_json()}};
}

}  // namespace seekless

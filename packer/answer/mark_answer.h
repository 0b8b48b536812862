// Defines the answer of 'mark': the recording that got a mark for the start or end of a scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace seekless {

struct MarkAnswer {
  uint32_t process = 0;                 // process id of the recorder
  std::string recording;                // the trace that the recorder writes
  std::optional<std::string> scenario;  // the scenario that begins; none if the current one ends
};

std::string to_text(const MarkAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const MarkAnswer& answer);

}  // namespace seekless

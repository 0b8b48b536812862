// Defines the answer of 'mark': which recording was told that a scenario begins or ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace seekless {

struct MarkAnswer {
  uint32_t process = 0;                 // process of the recorder
  std::string recording;                // the trace that it writes
  std::optional<std::string> scenario;  // the scenario that began; none if the current one ended
};

std::string to_text(const MarkAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const MarkAnswer& answer);

}  // namespace seekless

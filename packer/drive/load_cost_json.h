// Writes a load's cost as JSON, in the same form everywhere.
#pragma once

#include <nlohmann/json.hpp>

#include "packer/drive/load_cost.h"

namespace seekless {

inline nlohmann::ordered_json to_json(const LoadCost& cost) {
  return {{"seconds", cost.seconds},
          {"bytes", cost.bytes},
          {"reads", cost.reads},
          {"seeks", cost.seeks}};
}

}  // namespace seekless

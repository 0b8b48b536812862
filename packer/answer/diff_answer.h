// Defines the answer of 'diff': which assets changed, and what an update costs players.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/patch/compare.h"
#include "packer/update/clients.h"

namespace seekless {

struct DiffAnswer {
  std::string old;
  std::string now;
  uint64_t old_id = 0;
  uint64_t new_id = 0;
  SetChanges changes;
  std::optional<PatchBytes> patch = {};  // none if no content was read
  ClientCosts clients = {};              // set if there is a patch
  std::string drive;                     // name of the clients' drive
};

// If `lists_all` is true, all assets are listed; otherwise a few of each kind.
std::string to_text(const DiffAnswer& answer, bool lists_all, size_t columns);
nlohmann::ordered_json to_json(const DiffAnswer& answer);

}  // namespace seekless

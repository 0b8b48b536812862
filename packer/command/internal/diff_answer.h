// What `diff` answers: the assets that changed, and what an update costs players.
#pragma once

#include <optional>
#include <string>

#include "packer/command/internal/command.h"
#include "packer/patch/compare.h"
#include "packer/patch/set_files.h"
#include "packer/update/set_change.h"

namespace seekless {

struct DiffArguments {
  std::string old;
  std::string now;
  bool quick = false;
  bool all = false;
  std::string drive = kTargetDrive;
  Output answer;
};

struct Comparison {
  SetChanges changes;
  std::optional<SetChange> update;  // none: no content was read
  Json clients = {};                // as in schemas/update.schema.json
};

void print(const DiffArguments& arguments, const Comparison& compared);
Json to_json(const DiffArguments& arguments, const SetFiles& old, const SetFiles& now,
             const Comparison& compared);

}  // namespace seekless

// plan --shard I/N and --merge: one plan by several machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/plan/planner.h"

namespace seekless {

struct PlanPartArguments {
  std::string shard;               // "2/8"
  std::vector<std::string> parts;  // files

  void add_to(const Command& command);
  bool is_part() const { return !shard.empty(); }

  // Works the part out and writes it.
  Result<void> write_part(const Profile& profile, const Content& content,
                          const PlanOptions& options, const std::string& output,
                          const Output& answer) const;
  // The whole plan, with what the parts know.
  Result<Plan> plan(const Profile& profile, const Content& content,
                    const PlanOptions& options) const;
};

}  // namespace seekless

// What `seekless play` tells: of one run, and with --status of all that it knows of a game.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/foresee/learned.h"

namespace seekless {

// Lines without their ends.
std::vector<std::string> lines_of_run(const Json& told);
std::string line_of_laid_out(uint64_t bytes);
std::vector<std::string> lines_of_learned(const std::string& folder, const Learned& learned);

// One for each scenario, as schemas/result.schema.json has them.
Json loads_of(const Learned& learned);

}  // namespace seekless

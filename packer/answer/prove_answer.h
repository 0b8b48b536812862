// Defines the answer of 'prove': how long loads take on this disk, measured and predicted, before
// and after.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/prove/proof.h"

namespace seekless {

struct ProveAnswer {
  Proof proof;
  // Why nothing was measured; empty after a measurement.
  std::string nothing_to_prove;
  std::string next_command;  // a note with a command to copy; may be empty
};

// Returns the result as a sentence.
std::string verdict_of(const ProveAnswer& answer);
// Returns the sentences that belong below the figures, the most important first.
std::vector<std::string> notes_of(const ProveAnswer& answer);

// Lines have at most `columns` characters, which is at least 80. The last line has no newline.
std::string to_text(const ProveAnswer& answer, size_t columns, bool is_verbose);
nlohmann::ordered_json to_json(const ProveAnswer& answer);

// Returns the figures that may be sent to others (schemas/proof.schema.json): no name of a load, no
// path, and the drive's model only if the answer has it.
nlohmann::ordered_json to_upload(const ProveAnswer& answer);

}  // namespace seekless

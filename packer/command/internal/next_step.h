// Builds the next command that an answer recommends, with the same recordings and content as the
// current command.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/inputs.h"

namespace seekless {

using CommandWords = std::vector<std::string>;

// These add the options that read the same recordings and the same content.
void add_traces(CommandWords& words, const TraceOptions& traces);
void add_content(CommandWords& words, const ContentOptions& content);

// Returns "COMMAND TRACES --content ROOTS", with `front` before the traces.
CommandWords with_recordings(CommandWords front, const TraceOptions& traces,
                             const ContentOptions& content);

// Returns the path of a file or folder beside another path.
std::string beside(const std::string& path, const std::string& name);

}  // namespace seekless

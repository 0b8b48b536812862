// Makes a command's man page, in man macros, from the table of commands. These are pure functions,
// so the same program always makes the same pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/command/internal/command_table.h"

namespace seekless {

// Writes the page of one of `commands`. `date` is "2026-11-21" and `version` "seekless 0.1.0".
std::string man_page(const std::vector<DescribedCommand>& commands, const DescribedCommand& command,
                     std::string_view date, std::string_view version);

// Returns the file name of the page without ".1": "seekless-drive-list".
std::string man_page_name(const DescribedCommand& command);

}  // namespace seekless

// Prints what clients do during an update, as a table for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "packer/update/clients.h"

namespace seekless {

// `drive` is the name of the drive that the clients' seconds are computed for.
std::string update_table(const ClientCosts& clients, const std::string& drive, size_t columns);

}  // namespace seekless

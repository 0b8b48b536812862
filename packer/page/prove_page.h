// Makes the page of 'prove', which people send to others: the times of loads on their disk.
#pragma once

#include <string>

#include "packer/answer/prove_answer.h"

namespace seekless {

// Returns a self-contained page. Loads are called "load 1" and so on unless `tells_names`. It
// contains no path. About the machine, it shows only figures of its drive, and the drive's model if
// the answer has it.
std::string to_html(const ProveAnswer& answer, bool tells_names);

}  // namespace seekless

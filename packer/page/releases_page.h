// Makes the page of 'report --updates', which shows what releases have cost players.
#pragma once

#include <string>

#include "packer/answer/releases.h"

namespace seekless {

// Returns a self-contained page.
std::string to_html(const UpdatesAnswer& updates);

}  // namespace seekless

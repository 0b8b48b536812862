// The page of 'report --updates': what releases have cost players.
#pragma once

#include <string>

#include "packer/answer/releases.h"

namespace seekless {

// A self-contained page.
std::string to_html(const UpdatesAnswer& updates);

}  // namespace seekless

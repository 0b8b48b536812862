// Releases as bars: what is edited, and what clients that make files anew write.
#pragma once

#include <string>
#include <vector>

#include "packer/answer/releases.h"

namespace seekless {

// A section of the page; of many releases it shows the latest ones.
std::string releases_chart(const std::vector<Release>& releases);

}  // namespace seekless

// Draws releases as bars: the bytes edited, and the bytes written by clients that rewrite files.
#pragma once

#include <string>
#include <vector>

#include "packer/answer/releases.h"

namespace seekless {

// Returns a section of the page. If there are many releases, it shows the latest ones.
std::string releases_chart(const std::vector<Release>& releases);

}  // namespace seekless

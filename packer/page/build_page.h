// Turns the report of a build into an HTML page.
#pragma once

#include <string>

#include "packer/answer/build_report.h"

namespace seekless {

// Returns a self-contained page, without scripts or pictures from elsewhere.
std::string to_html(const BuildReport& report);

}  // namespace seekless

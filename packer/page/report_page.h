// Turns the measured values of a report into an HTML page.
#pragma once

#include <string>

#include "packer/answer/report.h"

namespace seekless {

// Returns a self-contained page, without scripts or pictures from elsewhere.
std::string to_html(const Report& report);

}  // namespace seekless

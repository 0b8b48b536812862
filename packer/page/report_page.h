// The page of a report: measured values come in, HTML goes out.
#pragma once

#include <string>

#include "packer/answer/report.h"

namespace seekless {

// A self-contained page: no script or picture from elsewhere.
std::string to_html(const Report& report);

}  // namespace seekless

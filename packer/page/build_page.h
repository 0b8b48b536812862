// The page of a build: its report comes in, HTML goes out.
#pragma once

#include <string>

#include "packer/answer/build_report.h"

namespace seekless {

// A self-contained page: no script or picture from elsewhere.
std::string to_html(const BuildReport& report);

}  // namespace seekless

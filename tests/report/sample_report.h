// A report with figures that are easy to check by hand, for the tests of its three forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/report/report.h"

namespace seekless {

// "boot" and "map/lakeville", two packs, one assumption, one warning; no moves of the head.
Report sample_report();

// `count` reads of 16 KiB in turn at two places that lie 400 GB apart, one each 0.1 ms.
std::vector<HeadMove> zig_zag(size_t count);

std::vector<std::string> lines_of(std::string_view text);

size_t occurrences(std::string_view text, std::string_view part);

}  // namespace seekless

// A report with figures that are easy to check by hand, for the tests of its three forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// "boot" and "map/lakeville", two packs, one assumption, one warning; no moves of the head, no
// reads of packs and no plan.
Report sample_report();

// Reads for its scenarios: both the common pack's first 20 MB, of which boot needs the first half;
// boot its own pack, too, of which 60 MB are copies.
void add_reads(Report& report);

// A plan with a curve of three points, of which the second is the layout's own.
void add_plan(Report& report);

// `count` reads of 16 KiB in turn at two places that lie 400 GB apart, one each 0.1 ms.
std::vector<HeadMove> zig_zag(size_t count);

std::vector<std::string> lines_of(std::string_view text);

size_t occurrences(std::string_view text, std::string_view part);

}  // namespace seekless

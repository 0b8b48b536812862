// A report with figures that are easy to check by hand, for the tests of its three forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// It has "boot" and "map/lakeville", two packs, one assumption and one warning; no moves of the
// head, no reads of packs and no plan.
Report sample_report();

// Adds reads for its scenarios. Both read the common pack's first 20 MB, of which boot needs the
// first half. boot also reads its own pack, of which 60 MB are copies.
void add_reads(Report& report);

// Adds a plan with a curve of three points; the second is the layout's own.
void add_plan(Report& report);

// Makes `count` reads of 16 KiB, in turn at two places that lie 400 GB apart, one every 0.1 ms.
std::vector<HeadMove> zig_zag(size_t count);

std::vector<std::string> lines_of(std::string_view text);

size_t occurrences(std::string_view text, std::string_view part);

}  // namespace seekless

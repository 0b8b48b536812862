// Shows the progress of work in one line.
#pragma once

#include <cstdint>
#include <string>

namespace seekless {

// Returns "packing [######------------------]  25 %  120 MB/s  9 s left". `total_bytes` and
// `seconds` must be above 0.
std::string progress_bar(const std::string& what, uint64_t done_bytes, uint64_t total_bytes,
                         double seconds);

}  // namespace seekless

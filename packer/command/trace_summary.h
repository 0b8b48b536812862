// One line for people about a trace that was made: by import or by record.
#pragma once

#include <string>

#include "packer/trace/dialect.h"

namespace seekless {

// `source` is what it was made from: a dialect, a program.
std::string trace_summary(const std::string& output, const std::string& source,
                          const ImportReport& report);

// From the first event to the last.
double seconds_of(const ImportReport& report);

}  // namespace seekless

#include "packer/command/trace_summary.h"

#include <fmt/format.h>

namespace seekless {

std::string trace_summary(const std::string& output, const std::string& source,
                          const ImportReport& report) {
  return fmt::format("{}: {} from {}: {} events, {} reads of {} bytes from {} files in {:.1f} s",
                     output, report.scenario, source, report.events, report.reads,
                     report.read_bytes, report.paths, seconds_of(report));
}

double seconds_of(const ImportReport& report) {
  return static_cast<double>(report.span_ns) / 1e9;
}

}  // namespace seekless

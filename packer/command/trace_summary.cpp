#include "packer/command/trace_summary.h"

#include <fmt/format.h>

#include "packer/host/counted.h"

namespace seekless {

std::string trace_summary(const std::string& output, const std::string& source,
                          const ImportReport& report) {
  // Dialects of names alone tell no bytes: the whole file counts as read.
  const bool tells_bytes = report.read_bytes > 0 || report.reads == 0;
  const std::string bytes = tells_bytes ? counted(report.read_bytes, "byte") : "whole files";
  return fmt::format("{}: {} from {}: {}, {} of {} from {} in {:.1f} s", output, report.scenario,
                     source, counted(report.events, "event"), counted(report.reads, "read"), bytes,
                     counted(report.paths, "file"), seconds_of(report));
}

double seconds_of(const ImportReport& report) {
  return static_cast<double>(report.span_ns) / 1e9;
}

}  // namespace seekless

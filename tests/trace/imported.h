// Logs in memory that are read like files.
#pragma once

#include <string>

#include "packer/trace/dialect.h"

namespace seekless {

struct Parsed {
  Trace trace;
  ImportReport report;
};

inline Result<ImportReport> import_text(const std::string& text, Trace& trace,
                                        const ImportOptions& options = {}) {
  MemoryStream stream("log", text);
  return import_trace(stream, options, trace);
}

inline Result<ImportReport> import_leniently(const std::string& text, Trace& trace) {
  return import_text(text, trace, {.lenient = true});
}

}  // namespace seekless

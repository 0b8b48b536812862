// Reads Process Monitor's log saved as CSV.
#pragma once

#include "packer/trace/dialect.h"

namespace seekless {

bool recognise_procmon_csv(std::string_view front);
Result<void> parse_procmon_csv(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                               ImportReport& report);

}  // namespace seekless

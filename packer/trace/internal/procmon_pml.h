// Reads Process Monitor's log in its own binary form, PML version 9.
#pragma once

#include "packer/trace/dialect.h"

namespace seekless {

bool recognise_procmon_pml(std::string_view front);
Result<void> parse_procmon_pml(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                               ImportReport& report);

}  // namespace seekless

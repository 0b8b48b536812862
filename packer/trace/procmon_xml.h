// Process Monitor's log as it is saved as XML.
#pragma once

#include "packer/trace/dialect.h"

namespace seekless {

bool recognise_procmon_xml(std::string_view front);
Result<void> parse_procmon_xml(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                               ImportReport& report);

}  // namespace seekless

// Reads the text that `xperf -i LOG.etl -o LOG.txt -a dumper` makes of an ETW log: a block between
// BeginHeader and EndHeader names the columns of each type of event; then follows a line per event.
//
// These become events:
// - FileIoRead is a read of a file. FileIoOpEnd, if logged, tells its result and how long it took.
//   Paging reads (IRP_PAGING_IO) count as in Process Monitor's logs.
// - FileIoCreate is an open.
// - DiskRead is the disk's view of the same: its offsets are the disk's, and reads that the cache
//   served aren't there. It is left out of a log that has the file's view. In a log that has not,
//   each file counts as read whole, when its first byte came, for where in the file isn't known.
// Files without a name in the row have the one that any row gave their FileObject before, or else
// one made of its number: "<file object 0xffffe000142b0070>".
#pragma once

#include <string_view>

#include "packer/trace/dialect.h"

namespace seekless {

bool recognise_xperf(std::string_view front);
Result<void> parse_xperf(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                         ImportReport& report);

}  // namespace seekless

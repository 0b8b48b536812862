// Lists the dialects. Each is defined at the end of the file that reads it; that file's first
// comment says which lines become events. The table in dialect.cpp has them in the order in which
// recognition tries them.
#pragma once

#include "packer/trace/dialect.h"

namespace seekless {

extern const Dialect kSeeklessDialect;
extern const Dialect kStraceDialect;
extern const Dialect kPerfTraceDialect;
extern const Dialect kBlkparseDialect;
extern const Dialect kBiosnoopDialect;
extern const Dialect kExt4slowerDialect;
extern const Dialect kOpensnoopDialect;
extern const Dialect kFatraceDialect;
extern const Dialect kInotifywaitDialect;
extern const Dialect kUnrealDialect;
extern const Dialect kJarlogDialect;
extern const Dialect kProcmonCsvDialect;
extern const Dialect kProcmonPmlDialect;
extern const Dialect kXperfDialect;
extern const Dialect kListDialect;

}  // namespace seekless

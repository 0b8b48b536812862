// The dialects of text that need no more than a file: each has its `recognise` and `parse`, as
// the table in dialect.cpp wants them. What each takes for an event stands at its file's front.
#pragma once

#include "packer/trace/dialect.h"

namespace seekless {

bool recognise_blkparse(std::string_view front);
Result<void> parse_blkparse(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                            ImportReport& report);

bool recognise_biosnoop(std::string_view front);
Result<void> parse_biosnoop(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                            ImportReport& report);

bool recognise_perf_trace(std::string_view front);
Result<void> parse_perf_trace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                              ImportReport& report);

bool recognise_ext4slower(std::string_view front);
Result<void> parse_ext4slower(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                              ImportReport& report);

bool recognise_fatrace(std::string_view front);
Result<void> parse_fatrace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                           ImportReport& report);

bool recognise_opensnoop(std::string_view front);
Result<void> parse_opensnoop(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                             ImportReport& report);

bool recognise_inotifywait(std::string_view front);
Result<void> parse_inotifywait(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                               ImportReport& report);

bool recognise_unreal(std::string_view front);
Result<void> parse_unreal(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                          ImportReport& report);

bool recognise_jarlog(std::string_view front);
Result<void> parse_jarlog(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                          ImportReport& report);

bool recognise_list(std::string_view front);
Result<void> parse_list(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                        ImportReport& report);

}  // namespace seekless

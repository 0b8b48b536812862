// Declares the text dialects that need only one file each: `recognise` and `parse`, as the table in
// dialect.cpp wants them. The top of each dialect's file says what becomes an event.
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

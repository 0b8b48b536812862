// Reads strace's text. Best is `strace -f -ttt -y -T -o FILE`; -tt, -t, -r or no times also work,
// and so do traces without -y, -T or -f, and the terminal's form ("[pid N] ...").
//
// These become events: read, pread64, readv, preadv, preadv2, sendfile, copy_file_range and splice
// that gave at least one byte of a file; mmap of a file with PROT_READ; open, openat, openat2 for
// reading, failed ones too. Writes, folders, sockets and pipes don't. strace can't see reads by
// io_uring and libaio; a warning says so. Relative paths that nothing in the trace (-y or chdir)
// resolves stay relative.
//
// What a trace doesn't tell is assumed:
// - Without -y, descriptors are followed through open, dup, fcntl, close, clone and pipes. Those
//   opened before the trace are unknown, so reads of them are dropped and counted. A trace that
//   loses most of its reads this way is an error.
// - With clone in the trace, CLONE_FILES and CLONE_THREAD say what a thread shares with its parent.
//   If the trace begins with execve, all threads descend from the first one: a thread whose birth
//   isn't shown shares the process and descriptors of the first thread alive. Otherwise strace was
//   attached, perhaps to several processes: then such a thread has only what it opens itself.
// - Lines without "[pid N]" in a trace that has some belong to the only thread alive.
// - Without times, each call begins when the one before has ended (-T), or at 0.
#pragma once

#include <string_view>

#include "packer/trace/dialect.h"

namespace seekless {

// Describes a recorder whose text is strace's, or was rewritten to be.
struct StraceFlavour {
  std::string_view dialect;
  bool has_dates;           // times are wall-clock times if they look like it
  std::string_view advice;  // advice on how to make the trace tell descriptors' files
};
Result<void> parse_strace_text(ByteStream& stream, const StraceFlavour& flavour,
                               const ImportOptions& options, TraceSink& sink, ImportReport& report);

bool recognise_strace(std::string_view front);
Result<void> parse_strace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                          ImportReport& report);

}  // namespace seekless

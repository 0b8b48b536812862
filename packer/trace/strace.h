// Reads the text that strace writes: `strace -f -ttt -y -T -o FILE` by preference, but also -tt,
// -t, -r or no times, without -y, -T or -f, and what goes to the terminal ("[pid N] ...").
//
// What becomes events: read, pread64, readv, preadv, preadv2, sendfile, copy_file_range and splice
// that gave at least one byte of a file; mmap of a file with PROT_READ; open, openat, openat2 for
// reading, failed ones too. Writing, folders, sockets, pipes and the like don't. Reads by io_uring
// and libaio can't be seen, and are warned of. Relative paths that nothing in the trace resolves
// (-y or chdir) stay relative.
//
// Where a trace doesn't say, this is assumed:
// - Without -y, descriptors are followed through open, dup, fcntl, close, clone and pipes. Those
//   from before the trace aren't known, and reads of them are left out and counted.
// - A thread whose birth isn't in the trace shares the descriptors, and the process, of the first
//   thread that is alive: games have many threads and few processes. With clone in the trace,
//   CLONE_FILES and CLONE_THREAD decide.
// - Lines without "[pid N]" in a trace that has some belong to the only thread alive.
// - Without times, each call begins when the one before has ended (-T), or at 0.
#pragma once

#include <string_view>

#include "packer/trace/dialect.h"

namespace seekless {

bool recognise_strace(std::string_view front);
Result<void> parse_strace(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                          ImportReport& report);

}  // namespace seekless

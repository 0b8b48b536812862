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
//   from before the trace aren't known, and reads of them are left out and counted. A trace that
//   loses most of its reads so is an error.
// - With clone in the trace, CLONE_FILES and CLONE_THREAD say what a thread shares with its parent.
//   A thread whose birth isn't in the trace shares the descriptors, and the process, of the first
//   thread alive if the trace begins with execve, where all descend from the first. Else strace was
//   attached, perhaps to several processes: then such a thread has only what it opens itself.
// - Lines without "[pid N]" in a trace that has some belong to the only thread alive.
// - Without times, each call begins when the one before has ended (-T), or at 0.
#pragma once

#include <string_view>

#include "packer/trace/dialect.h"
#include "packer/trace/internal/strace_line.h"

namespace seekless {

// Takes the text of a recorder of system calls apart: strace's, or another's that tells the same.
class CallText {
 public:
  virtual ~CallText() = default;
  virtual StraceLine split_line(std::string_view text) = 0;
  // These do what split_strace_call and split_strace_front do.
  virtual bool split_call(std::string_view name, std::string_view rest, StraceCall& call) = 0;
  virtual void split_front(std::string_view name, std::string_view front, StraceCall& call) = 0;
  // Whether a last line without a line end may all the same have come to its end.
  virtual bool may_be_whole(std::string_view text) const = 0;
};

struct CallDialect {
  std::string_view name;
  bool has_dates;           // times are of the wall clock, if they look so
  bool is_escaped;          // paths are written as C writes strings
  std::string_view advice;  // how to record so that descriptors' files are told
};
Result<void> parse_calls(ByteStream& stream, CallText& text, const CallDialect& dialect,
                         const ImportOptions& options, TraceSink& sink, ImportReport& report);

}  // namespace seekless

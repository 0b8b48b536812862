// Reads strace's text. Best is `strace -f -ttt -y -T -o FILE`; -tt, -t, -r or no times also work,
// and so do traces without -y, -T or -f, and the terminal's form ("[pid N] ...").
//
// These become events: read, pread64, readv, preadv, preadv2, sendfile, copy_file_range and splice
// that gave at least one byte of a file; mmap of a file with PROT_READ; open, openat, openat2 for
// reading, failed ones too. Writes, folders, sockets and pipes don't. strace can't see reads by
// io_uring and libaio; a warning says so. Relative paths that nothing in the trace (-y or chdir)
// resolves stay relative.
//
// These assumptions replace what a trace doesn't tell:
// - Without -y, descriptors are followed through open, dup, fcntl, close, clone and pipes. Those
//   opened before the trace are unknown, so reads of them are dropped and counted. A trace that
//   loses most of its reads this way is an error.
// - With clone in the trace, CLONE_FILES and CLONE_THREAD say what a thread shares with its parent.
//   If the trace begins with execve, all threads descend from the first one: a thread whose birth
//   isn't shown shares the process and descriptors of the first thread alive. Otherwise strace was
//   attached, perhaps to several processes: then such a thread has only what it opens itself.
// - Lines without "[pid N]" in a trace that has some belong to the only thread alive.
// - Without times, each call begins when the previous one has ended (-T), or at 0.
#pragma once

#include <string_view>

#include "packer/trace/dialect.h"
#include "packer/trace/internal/strace_line.h"

namespace seekless {

// Parses the text of a recorder of system calls: strace's, or another one's with the same content.
class CallText {
 public:
  virtual ~CallText() = default;
  virtual StraceLine split_line(std::string_view text) = 0;
  // These do what split_strace_call and split_strace_front do.
  virtual bool split_call(std::string_view name, std::string_view rest, StraceCall& call) = 0;
  virtual void split_front(std::string_view name, std::string_view front, StraceCall& call) = 0;
  // Returns true if a last line without a line end may still be complete.
  virtual bool may_be_whole(std::string_view text) const = 0;
};

struct CallDialect {
  std::string_view name;
  bool has_dates;           // times of the wall clock, if they look like dates
  bool is_escaped;          // paths are escaped as in C strings
  std::string_view advice;  // how to record so that descriptors have names
};
Result<void> parse_calls(ByteStream& stream, CallText& text, const CallDialect& dialect,
                         const ImportOptions& options, TraceSink& sink, ImportReport& report);

}  // namespace seekless

// Applies the system calls in strace's text to a program's files: parses arguments and results, and
// hands them to FileCalls. It doesn't handle lines, the lives of threads, or time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "packer/trace/descriptors.h"
#include "packer/trace/event.h"
#include "packer/trace/event_window.h"
#include "packer/trace/file_calls.h"
#include "packer/trace/internal/strace_line.h"

namespace seekless {

enum class StraceCallKind : uint8_t {
  other,
  read,
  pread,
  preadv2,
  mmap,
  open,
  openat,
  creat,
  close,
  close_range,
  lseek,
  llseek,
  dup,
  dup2,
  fcntl,
  clone,
  makes_descriptor,  // makes a descriptor that isn't a file
  makes_pair,
  execve,
  chdir,
  fchdir,
  sendfile,
  copy_range,    // copy_file_range and splice
  asynchronous,  // reads by io_uring and libaio, whose results the text doesn't show
};

StraceCallKind strace_call_kind(std::string_view name);

class StraceFiles {
 public:
  // Paths go to `sink`, events to `window`; both must outlive this object. `is_escaped` tells
  // whether paths are written as C strings, or plainly and without quotes.
  StraceFiles(TraceSink& sink, EventWindow& window, bool is_escaped)
      : calls_(sink, window), is_escaped_(is_escaped) {}

  // Applies a call that has returned. Returns false if its arguments make no sense.
  Result<bool> apply(const FileCaller& caller, StraceCallKind kind, const StraceCall& call,
                     int64_t start_ns);
  // Applies a call's effect at its beginning: close() frees its descriptor as soon as it begins.
  // Returns true if the call may give an event when it returns.
  Result<bool> apply_front(const FileCaller& caller, StraceCallKind kind, const StraceCall& front);

  // Counts reads and mappings of descriptors whose files aren't known.
  uint64_t unknown_reads() const { return unknown_reads_; }
  bool loses_most() const { return unknown_reads_ > told_reads_ && unknown_bytes_ > told_bytes_; }
  uint64_t all_reads() const { return unknown_reads_ + told_reads_; }
  // Returns true if the text holds calls that read, successful or not.
  bool has_seen_reads() const { return has_seen_reads_; }
  uint64_t relative_opens() const { return relative_opens_; }
  // Counts calls that handed requests to the kernel without showing them in the text.
  uint64_t unseen_requests() const { return unseen_requests_; }

 private:
  Result<bool> apply_read(const FileCaller& caller, StraceCallKind kind, const StraceCall& call,
                          Event& event);
  Result<bool> apply_map(const FileCaller& caller, const StraceCall& call, Event& event);
  Result<bool> apply_open(const FileCaller& caller, StraceCallKind kind, const StraceCall& call,
                          Event& event);
  Result<bool> apply_copy(const FileCaller& caller, StraceCallKind kind, const StraceCall& call,
                          Event& event);
  Result<bool> apply_chdir(const FileCaller& caller, StraceCallKind kind, const StraceCall& call);
  Result<bool> apply_seek(const FileCaller& caller, StraceCallKind kind, const StraceCall& call);
  Result<bool> apply_duplicate(const FileCaller& caller, StraceCallKind kind,
                               const StraceCall& call);
  // Counts a read or mapping of an unknown descriptor that may be a file.
  bool count_lost(const FileCaller& caller, std::string_view argument, int64_t bytes);
  static bool apply_close(const FileCaller& caller, const StraceCall& call);
  static bool apply_close_range(const FileCaller& caller, const StraceCall& call);
  static bool apply_pair(const FileCaller& caller, const StraceCall& call);

  // Returns null if the descriptor is no file, or isn't known.
  Result<std::shared_ptr<OpenDescription>> file_of(const FileCaller& caller,
                                                   std::string_view argument);
  // These store the path in path_; they return false if there is none.
  bool read_annotation(std::string_view annotation);
  Result<bool> read_path(const FileCaller& caller, std::string_view folder,
                         std::string_view argument);
  // Stores what an open's flags mean in flags_.
  void read_flags(std::string_view flags);

  struct OpenFlags {
    std::string text;
    bool is_for_reading = true;
    bool closes_on_exec = false;
  };

  FileCalls calls_;
  bool is_escaped_;
  std::string path_;
  std::string text_;
  OpenFlags flags_;
  uint64_t unknown_reads_ = 0;
  uint64_t unknown_bytes_ = 0;
  uint64_t told_reads_ = 0;
  uint64_t told_bytes_ = 0;
  uint64_t relative_opens_ = 0;
  uint64_t unseen_requests_ = 0;
  bool has_seen_reads_ = false;
};

}  // namespace seekless

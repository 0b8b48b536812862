// What the calls of a traced program do to its files: follows descriptors and positions, and turns
// reads, maps and opens into events. Knows nothing of lines, threads' lives or time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/trace/descriptors.h"
#include "packer/trace/event.h"
#include "packer/trace/event_window.h"
#include "packer/trace/strace_line.h"

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
  makes_descriptor,  // of something that isn't a file
  makes_pair,
  execve,
  chdir,
  fchdir,
  sendfile,
  copy_range,    // copy_file_range and splice
  asynchronous,  // reads that the text doesn't show: io_uring and libaio
};

StraceCallKind strace_call_kind(std::string_view name);

// Whose call it is.
struct StraceCaller {
  uint32_t thread = 0;
  uint32_t process = 0;
  DescriptorTable& files;
};

class StraceFiles {
 public:
  // Paths go to `sink`, events to `window`; both must outlive this.
  StraceFiles(TraceSink& sink, EventWindow& window) : sink_(sink), window_(window) {}

  // Applies a call that has returned. False if its arguments make no sense.
  Result<bool> apply(const StraceCaller& caller, StraceCallKind kind, const StraceCall& call,
                     int64_t start_ns);
  // Applies what a call does at its beginning: a descriptor is free as soon as close() has begun.
  // True if the call may give an event when it returns.
  Result<bool> apply_front(const StraceCaller& caller, StraceCallKind kind,
                           const StraceCall& front);

  uint64_t unknown_reads() const { return unknown_reads_; }
  uint64_t relative_opens() const { return relative_opens_; }
  // Calls that handed requests to the kernel which the text doesn't show.
  uint64_t unseen_requests() const { return unseen_requests_; }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  Result<bool> apply_read(const StraceCaller& caller, StraceCallKind kind, const StraceCall& call,
                          Event& event);
  Result<bool> apply_map(const StraceCaller& caller, const StraceCall& call, Event& event);
  Result<bool> apply_open(const StraceCaller& caller, StraceCallKind kind, const StraceCall& call,
                          Event& event);
  Result<bool> apply_copy(const StraceCaller& caller, StraceCallKind kind, const StraceCall& call,
                          Event& event);
  Result<bool> apply_chdir(const StraceCaller& caller, StraceCallKind kind, const StraceCall& call);
  Result<bool> apply_seek(const StraceCaller& caller, StraceCallKind kind, const StraceCall& call);
  Result<bool> apply_duplicate(const StraceCaller& caller, StraceCallKind kind,
                               const StraceCall& call);
  static bool apply_close(const StraceCaller& caller, const StraceCall& call);
  static bool apply_close_range(const StraceCaller& caller, const StraceCall& call);
  static bool apply_pair(const StraceCaller& caller, const StraceCall& call);

  // Null if the descriptor is no file, or not known.
  Result<std::shared_ptr<OpenFile>> file_of(const StraceCaller& caller, std::string_view argument);
  // These leave the path in path_; false if there is none.
  bool read_annotation(std::string_view annotation);
  Result<bool> read_path(const StraceCaller& caller, std::string_view folder,
                         std::string_view argument);
  Result<uint32_t> number_of_path();
  Result<bool> emit(Event& event, uint64_t offset_bytes, int64_t length_bytes);

  TraceSink& sink_;
  EventWindow& window_;
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> numbers_;
  std::vector<const std::string*> paths_;  // by number; they point into numbers_
  size_t stored_bytes_ = 0;                // of all paths
  std::string path_;
  std::string text_;
  uint64_t unknown_reads_ = 0;
  uint64_t relative_opens_ = 0;
  uint64_t unseen_requests_ = 0;
};

}  // namespace seekless

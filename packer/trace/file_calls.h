// Applies system calls to files, for strace's text and for the recorder. Numbers the paths, tracks
// the positions of open files, and turns reads, maps and opens into events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "packer/base/text_numbers.h"
#include "packer/trace/descriptors.h"
#include "packer/trace/event.h"
#include "packer/trace/event_window.h"

namespace seekless {

// Says who makes a call.
struct FileCaller {
  uint32_t thread = 0;
  uint32_t process = 0;
  DescriptorTable& files;
};

class FileCalls {
 public:
  // Paths go to `sink`, events to `window`; both must outlive this object.
  FileCalls(TraceSink& sink, EventWindow& window) : sink_(sink), window_(window) {}

  // The caller sets the event's time, process and thread; these functions fill in the rest. They
  // return false, and change nothing, if an offset or length makes no sense.
  //
  // Reads `length_bytes` at `offset_bytes`, or else at the file's position, which then moves on.
  Result<bool> read(OpenDescription& file, std::optional<uint64_t> offset_bytes,
                    int64_t length_bytes, Event& event);
  Result<bool> map(const OpenDescription& file, int64_t offset_bytes, int64_t length_bytes,
                   Event& event);
  // Applies an open that gave `descriptor`, or failed with `os_error`. Only opens for reading
  // become events.
  Result<bool> open(DescriptorTable& files, std::string_view path,
                    std::optional<int32_t> descriptor, int32_t os_error, bool is_for_reading,
                    Event& event);
  // Adds a file that was open before the trace began, or that a call outside the trace opened.
  Result<std::shared_ptr<OpenDescription>> adopt(DescriptorTable& files, int32_t descriptor,
                                                 std::string_view path, uint64_t position_bytes);

  std::string_view path(uint32_t number) const { return numbers_.text(number); }
  size_t stored_bytes() const { return stored_bytes_; }  // total size of all paths

 private:
  Result<uint32_t> number_of(std::string_view path);
  Result<bool> emit(Event& event, uint64_t offset_bytes, int64_t length_bytes);

  TraceSink& sink_;
  EventWindow& window_;
  TextNumbers numbers_;
  size_t stored_bytes_ = 0;
};

// Ignores whether the call made sense, but returns errors.
inline Result<void> only_errors(const Result<bool>& understood) {
  if (!understood) return std::unexpected(understood.error());
  return {};
}

// Returns the file's path for a descriptor's name as the kernel gives it, without the mark of a
// deleted file. Returns nothing if the descriptor isn't a file (a pipe, a socket, memory).
std::optional<std::string_view> path_of_descriptor(std::string_view name);

// Resolves "." and ".." in an absolute path.
std::string without_dots(std::string_view path);

}  // namespace seekless

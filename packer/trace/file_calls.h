// What system calls do to files, whoever reports them: a line of strace or the recorder. Gives
// paths their numbers, moves the positions of open files, and turns reads, maps and opens into
// events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/base/text_numbers.h"
#include "packer/trace/descriptors.h"
#include "packer/trace/event.h"
#include "packer/trace/event_window.h"

namespace seekless {

// Whose call it is.
struct FileCaller {
  uint32_t thread = 0;
  uint32_t process = 0;
  DescriptorTable& files;
};

class FileCalls {
 public:
  // Paths go to `sink`, events to `window`; both must outlive this.
  FileCalls(TraceSink& sink, EventWindow& window) : sink_(sink), window_(window) {}

  // The events' time, process and thread are the caller's affair; the rest is filled in here. False
  // if a place or length makes no sense, and then nothing has changed.
  //
  // A read of `length_bytes` at `offset_bytes`, or where the file stands, which moves on.
  Result<bool> read(OpenDescription& file, std::optional<uint64_t> offset_bytes,
                    int64_t length_bytes, Event& event);
  Result<bool> map(const OpenDescription& file, int64_t offset_bytes, int64_t length_bytes,
                   Event& event);
  // An open that gave `descriptor`, or failed with `os_error`. Only opens for reading are events.
  Result<bool> open(DescriptorTable& files, std::string_view path,
                    std::optional<int32_t> descriptor, int32_t os_error, bool is_for_reading,
                    Event& event);
  // A file that was open before the trace, or became so by a call that isn't in it.
  Result<std::shared_ptr<OpenDescription>> adopt(DescriptorTable& files, int32_t descriptor,
                                                 std::string_view path, uint64_t position_bytes);

  const std::string& path(uint32_t number) const { return *paths_[number]; }
  size_t stored_bytes() const { return stored_bytes_; }  // of all paths

 private:
  Result<uint32_t> number_of(std::string_view path);
  Result<bool> emit(Event& event, uint64_t offset_bytes, int64_t length_bytes);

  TraceSink& sink_;
  EventWindow& window_;
  TextNumbers numbers_;
  std::vector<const std::string*> paths_;  // by number; they point into numbers_
  size_t stored_bytes_ = 0;
};

// For who passes over what makes no sense.
inline Result<void> only_errors(const Result<bool>& understood) {
  if (!understood) return std::unexpected(understood.error());
  return {};
}

// How a descriptor's name, as the kernel tells it, becomes the path of a file: nothing if it is
// none (a pipe, a socket, memory); without the mark of a file that is gone.
std::optional<std::string_view> path_of_descriptor(std::string_view name);

// Takes "." and ".." out of an absolute path.
std::string without_dots(std::string_view path);

}  // namespace seekless

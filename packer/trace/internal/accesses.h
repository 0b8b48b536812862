// Handles accesses reported by fanotify and inotify programs, which tell the file that was opened
// or read, but no offset. A file counts as read whole when a process opens it, or reads it without
// a recorded open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "packer/trace/dialect.h"
#include "packer/trace/event.h"

namespace seekless {

struct AccessLine {
  std::optional<int64_t> unix_ns;
  std::optional<int64_t> day_ns;  // since midnight
  uint32_t process = 0;
  // Letters of "RCWO+D<>": R reads, C closes, W writes, O opens; the others concern folders.
  std::string kinds;
  std::string path;  // "" if the log doesn't give the name
};

// Returns false if `text` is no such line; `line` is then undefined.
using SplitAccessLine = bool (*)(std::string_view text, AccessLine& line);

Result<void> parse_accesses(ByteStream& stream, std::string_view dialect, SplitAccessLine split,
                            TraceSink& sink, ImportReport& report);

}  // namespace seekless

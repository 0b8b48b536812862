// Accesses to files as programs tell them that watch by fanotify or inotify: which file, and
// whether it was opened or read, but not where. It counts as read as a whole when it is opened, or
// at a read by a process that wasn't seen to open it.
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
  std::string kinds;  // of "RCWO+D<>": reads, closes, writes, opens; the others are of folders
  std::string path;   // "" where the name isn't told
};

// False if `text` is no such line; `line` is then anything.
using SplitAccessLine = bool (*)(std::string_view text, AccessLine& line);

Result<void> parse_accesses(ByteStream& stream, std::string_view dialect, SplitAccessLine split,
                            TraceSink& sink, ImportReport& report);

}  // namespace seekless

// What the operating system says of files without reading them, and whole folders of it at once:
// how a build finds out what has changed since the last one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/host/error.h"

namespace seekless {

// Two equal stamps of one path mean the same bytes, unless the file was written within a tick of
// the clock of when the stamp was taken.
struct ChangeStamp {
  uint64_t size_bytes = 0;
  int64_t written_ns = 0;  // since 1970: the bytes; any program may set it
  int64_t changed_ns = 0;  // since 1970: bytes, name, rights; only the clock sets it
  uint64_t inode = 0;

  bool operator==(const ChangeStamp&) const = default;
};

// Of the regular file that `path` leads to; nothing if there is none.
Result<std::optional<ChangeStamp>> change_stamp_of(const std::string& path);

struct StampedFile {
  std::string path;   // relative to the folder walked, with '/'
  ChangeStamp stamp;  // of what a link leads to

  bool operator==(const StampedFile&) const = default;
};

// Every regular file below `folder`, symbolic links followed, sorted by path byte by byte: what
// walk_folder finds, with one call for each file. A link that leads back to a folder it lies in is
// an error, as is anything that can't be looked at. The result doesn't depend on the number of
// threads.
Result<std::vector<StampedFile>> stamp_folder(const std::string& folder, unsigned threads = 1);

// Every folder that stamp_folder looks into, `folder` itself first: a file that comes or goes
// changes the time of one of them.
Result<std::vector<std::string>> find_folders(const std::string& folder);

// Since 1970, of the clock that stamps files.
int64_t file_clock_ns();

// Whether a file with this stamp, taken at `now_ns`, shows every later write by another stamp. A
// file written within the same tick doesn't, nor one that comes from the future.
bool is_settled(const ChangeStamp& stamp, int64_t now_ns);

}  // namespace seekless

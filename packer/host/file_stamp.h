// Reads size, times and inode of files, or of all files in a folder, without opening them. A build
// uses this to find what has changed since the last one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Holds what identifies a file's content. If two stamps of one path are equal, the bytes are the
// same, unless the file was written within one clock tick of taking the stamp.
struct ChangeStamp {
  uint64_t size_bytes = 0;
  int64_t written_ns = 0;  // when the bytes were written, since 1970; any program may set it
  int64_t changed_ns = 0;  // when bytes, name or rights changed, since 1970; only the clock sets it
  uint64_t inode = 0;

  bool operator==(const ChangeStamp&) const = default;
};

// Returns the stamp of the regular file that `path` leads to; nothing if there is none.
Result<std::optional<ChangeStamp>> change_stamp_of(const std::string& path);

struct StampedFile {
  std::string path;   // relative to the walked folder, with '/'
  ChangeStamp stamp;  // stamp of the file that a link leads to

  bool operator==(const StampedFile&) const = default;
};

// Returns every regular file below `folder`, following symbolic links, sorted by path byte by byte:
// what walk_folder finds, with one call for each file. A link back to a folder that it lies in is
// skipped. Anything that can't be examined is an error.
Result<std::vector<StampedFile>> stamp_folder(const std::string& folder);
// Visits the same files one by one, for callers without room for a million strings. The path is
// valid during the call. Folders for which `skips` returns true, given their relative path, aren't
// walked.
using VisitStamped = std::function<void(std::string_view path, const ChangeStamp& stamp)>;
using SkipsFolder = std::function<bool(std::string_view folder)>;
Result<void> stamp_each(const std::string& folder, const VisitStamped& visit,
                        const SkipsFolder& skips = {});

// Returns every folder that stamp_each walks, `folder` itself first: a file that comes or goes
// changes the time of one of them.
Result<std::vector<std::string>> find_folders(const std::string& folder,
                                              const SkipsFolder& skips = {});

// Returns the time since 1970 of the clock that stamps files.
int64_t file_clock_ns();

// Returns true if every later write will give the file another stamp than this one, which was taken
// at `now_ns`. Returns false for a file that was written within the same tick, or whose time lies
// in the future.
bool is_settled(const ChangeStamp& stamp, int64_t now_ns);

// Detects files that were written while they were read: results made from them would mix old and
// new.
class ReadFiles {
 public:
  // Call this before the file is read. A missing file shows when it is opened.
  Result<void> add(std::string path);
  // Call this after all files were read. Fails, with kind `failed`, if a file has another stamp
  // now.
  Result<void> check() const;

 private:
  struct ReadFile {
    std::string path;
    uint64_t written_key = 0;
  };
  std::vector<ReadFile> files_;
};

// Returns a key that changes with every write, for callers that keep the paths and have room for
// only a number each. It is never 0.
Result<uint64_t> written_key_of(const std::string& path);
Result<void> check_unwritten(const std::string& path, uint64_t written_key);

}  // namespace seekless

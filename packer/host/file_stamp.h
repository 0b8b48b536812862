// What the operating system says of files without reading them, and whole folders of it at once:
// how a build finds out what has changed since the last one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

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
// walk_folder finds, with one call for each file. A link that leads back to a folder it lies in
// brings nothing new and is passed over; anything that can't be looked at is an error.
Result<std::vector<StampedFile>> stamp_folder(const std::string& folder);
// The same one by one, for those who have no room for a million strings. The path is good during
// the call. Folders of which `skips` says so, by their relative path, aren't looked into.
using VisitStamped = std::function<void(std::string_view path, const ChangeStamp& stamp)>;
using SkipsFolder = std::function<bool(std::string_view folder)>;
Result<void> stamp_each(const std::string& folder, const VisitStamped& visit,
                        const SkipsFolder& skips = {});

// Every folder that stamp_each looks into, `folder` itself first: a file that comes or goes changes
// the time of one of them.
Result<std::vector<std::string>> find_folders(const std::string& folder,
                                              const SkipsFolder& skips = {});

// Since 1970, of the clock that stamps files.
int64_t file_clock_ns();

// Whether a file with this stamp, taken at `now_ns`, shows every later write by another stamp. A
// file written within the same tick doesn't, nor one that comes from the future.
bool is_settled(const ChangeStamp& stamp, int64_t now_ns);

// Tells whether somebody wrote to files while they were read: what is made of them would be a mix
// of before and after.
class ReadFiles {
 public:
  // Before the file is read. One that isn't there shows when it is opened.
  Result<void> add(std::string path);
  // After all were read. Error of kind failed: a file has another stamp now.
  Result<void> check() const;

 private:
  struct ReadFile {
    std::string path;
    uint64_t written_key = 0;
  };
  std::vector<ReadFile> files_;
};

// The same for who has the paths and room for a number each: any write makes another key of it.
// Never 0.
Result<uint64_t> written_key_of(const std::string& path);
Result<void> check_unwritten(const std::string& path, uint64_t written_key);

}  // namespace seekless

// The packer's one seam to the operating system's files: reading at a place, reading a stream,
// walking a folder, and writing (files that appear whole or not at all: pending_file.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/bytes.h"
#include "packer/base/error.h"
#include "packer/host/fence.h"

namespace seekless {

// Regular files alone: a pipe would be waited for, and a device has no end. A path that holds a NUL
// is refused, as the operating system would open what its front names.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);
Result<std::unique_ptr<ByteStream>> open_stream(const std::string& path);
// For what a user names to be read once, front to back: pipes and devices, too; "-" is standard
// input.
Result<std::unique_ptr<ByteStream>> open_piped_stream(const std::string& path);

// Makes a stream readable at any place: copies it to a temporary file without a name, which goes
// away with what is returned.
Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream);

// Reads a whole file that is expected to be small; more than `limit_bytes` is an error. Text of
// Windows programs, with a byte order mark or in UTF-16, comes as plain UTF-8.
Result<std::string> read_text(const std::string& path, uint64_t limit_bytes);

struct FoundFile {
  std::string relative_path;  // to the folder walked, with '/'
  uint64_t size_bytes = 0;
  bool is_link = false;        // a symbolic link itself
  bool is_below_link = false;  // a folder above it, below the one walked, is a symbolic link
  bool leads_nowhere = false;  // a symbolic link to nothing, or to itself: no regular file
};

// Every regular file below `folder`, symbolic links followed, sorted by relative path byte by byte.
// A link that leads back to a folder it lies in is an error, as is anything that can't be read;
// sockets, pipes, devices and links that lead nowhere are passed over.
Result<std::vector<FoundFile>> walk_folder(const std::string& folder);
// The same one by one, and links that lead nowhere as well; what `visit` fails with ends it.
using VisitFound = std::function<Result<void>(const FoundFile&)>;
Result<void> visit_folder(const std::string& folder, const VisitFound& visit);

enum class PathKind { missing, file, folder, other };
PathKind kind_of_path(const std::string& path);
// The same for what decides what is replaced or removed: fails where the system doesn't tell, and
// what nobody may look at isn't missing.
Result<PathKind> known_kind_of_path(const std::string& path);
bool is_link(const std::string& path);  // a symbolic one
// Absolute, with symbolic links, "." and ".." resolved as far as the path exists.
std::string canonical_path(const std::string& path);

// A file that grows under its own name, so that what was written is there whatever happens to the
// writer. Until begin() nothing that was there before is touched, and a new file is taken away
// again if there is none.
class LiveFile {
 public:
  static Result<LiveFile> create(std::string path);
  LiveFile(LiveFile&& other) noexcept;
  LiveFile& operator=(LiveFile&&) = delete;
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;
  ~LiveFile();

  const std::string& path() const { return path_; }
  // Empties the file.
  Result<void> begin();
  // Hands all of the text to the operating system, so that only a crash of the machine loses it.
  Result<void> append(std::string_view text) const;
  Result<void> finish() const;

 private:
  LiveFile(std::string path, NameInFolder place, int descriptor, bool is_new)
      : path_(std::move(path)),
        place_(std::move(place)),
        descriptor_(descriptor),
        is_new_(is_new) {}

  std::string path_;
  NameInFolder place_;
  int descriptor_ = -1;
  bool is_new_ = false;
};

// Writes `text` to `path` whole or not at all; "-" is standard output.
Result<void> write_text(const std::string& path, std::string_view text);

Result<void> make_folders(const std::string& path);
Result<void> rename_path(const std::string& from, const std::string& to);
Result<void> remove_file(const std::string& path);
// Fails if something is left in it. No error if it isn't there.
Result<void> remove_folder(const std::string& path);
// Removes the folder only if nothing is left in it.
void remove_empty_folder(const std::string& path);
// Flushes a folder's own list of names to the disk.
Result<void> sync_folder(const std::string& path);
// Flushes the whole file system that `path` lies on: one call for many small files.
Result<void> sync_file_system(const std::string& path);

}  // namespace seekless

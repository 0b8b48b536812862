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

// Opens regular files only: a pipe would block, and a device has no end. Refuses a path that holds
// a NUL, because the operating system would open what its front names.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);
Result<std::unique_ptr<ByteStream>> open_stream(const std::string& path);
// Opens what a user names to be read once, front to back: also pipes and devices; "-" is standard
// input.
Result<std::unique_ptr<ByteStream>> open_piped_stream(const std::string& path);

// Makes a stream readable at any place: copies it to a temporary file without a name, which goes
// away with what is returned.
Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream);

// Reads a whole file that is expected to be small; more than `limit_bytes` is an error. Text of
// Windows programs, with a byte order mark or in UTF-16, comes as plain UTF-8.
Result<std::string> read_text(const std::string& path, uint64_t limit_bytes);

struct FoundFile {
  std::string relative_path;  // relative to the walked folder, with '/'
  uint64_t size_bytes = 0;
  bool is_link = false;        // the file itself is a symbolic link
  bool is_below_link = false;  // a folder above it, below the walked one, is a symbolic link
  bool leads_nowhere = false;  // a symbolic link to nothing or to itself, so no regular file
};

// Returns every regular file below `folder`, following symbolic links, sorted by relative path byte
// by byte. A link back to a folder that it lies in is an error, as is anything that can't be read.
// Sockets, pipes, devices and dangling links are skipped.
Result<std::vector<FoundFile>> walk_folder(const std::string& folder);
// Does the same one by one, and includes dangling links. An error of `visit` ends the walk.
using VisitFound = std::function<Result<void>(const FoundFile&)>;
Result<void> visit_folder(const std::string& folder, const VisitFound& visit);

enum class PathKind { missing, file, folder, other };
PathKind kind_of_path(const std::string& path);
// For decisions about replacing or removing files: fails if the system doesn't tell. A path that
// this user may not look at doesn't count as missing.
Result<PathKind> known_kind_of_path(const std::string& path);
bool is_link(const std::string& path);  // a symbolic one
// Returns the absolute path, with symbolic links, "." and ".." resolved as far as it exists.
std::string canonical_path(const std::string& path);

// A file that grows under its own name, so that its data survives whatever happens to the writer.
// Until begin(), an existing file isn't touched, and a new one is removed again at the end.
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

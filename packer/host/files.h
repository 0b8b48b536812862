// The packer's only interface to the operating system's files: reads at an offset, reads a stream,
// walks a folder, and writes. Files that appear whole or not at all are in pending_file.h.
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

// Opens a regular file. A pipe would block, and a device has no end. Refuses a path that holds a
// NUL, because the operating system would open the part in front of it.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);
Result<std::unique_ptr<ByteStream>> open_stream(const std::string& path);
// Opens a file, pipe or device that a user names, to read it once from front to back; "-" is
// standard input.
Result<std::unique_ptr<ByteStream>> open_piped_stream(const std::string& path);

// Makes a stream readable at any place by copying it to a nameless temporary file. The file is
// removed with the returned object.
Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream);

// Reads a whole file that should be small; more than `limit_bytes` is an error. Text of Windows
// programs, with a byte order mark or in UTF-16, is returned as plain UTF-8.
Result<std::string> read_text(const std::string& path, uint64_t limit_bytes);

struct FoundFile {
  std::string relative_path;  // relative to the walked folder, with '/'
  uint64_t size_bytes = 0;
  bool is_link = false;        // the file itself is a symbolic link
  bool is_below_link = false;  // a folder above it, below the walked one, is a symbolic link
  bool leads_nowhere = false;  // a symbolic link to nothing or to itself
};

// Returns every regular file below `folder`, following symbolic links, sorted by relative path byte
// by byte. A link to a folder above itself is an error, as is anything that can't be read. Sockets,
// pipes, devices and dangling links are skipped.
Result<std::vector<FoundFile>> walk_folder(const std::string& folder);
// Visits the same files one by one, and dangling links as well. An error of `visit` ends the walk.
using VisitFound = std::function<Result<void>(const FoundFile&)>;
Result<void> visit_folder(const std::string& folder, const VisitFound& visit);

enum class PathKind { missing, file, folder, other };
PathKind kind_of_path(const std::string& path);
// These are for decisions about replacing or removing files, so they fail if the system can't
// examine the path. A path that this user may not examine doesn't count as missing.
Result<PathKind> known_kind_of_path(const std::string& path);
bool is_link(const std::string& path);  // a symbolic one
// Returns the absolute path, with symbolic links, "." and ".." resolved as far as it exists.
std::string canonical_path(const std::string& path);

// Writes a file that grows under its own name, so that its data survives whatever happens to the
// writer. Before begin(), an existing file isn't touched. If begin() is never called, a new file is
// removed at the end.
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
  // Hands the whole text to the operating system; from then on only a crash of the machine can lose
  // it.
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
// Removes an empty folder; fails if something is left in it. A missing folder is no error.
Result<void> remove_folder(const std::string& path);
// Removes the folder if it is empty, and ignores errors.
void remove_empty_folder(const std::string& path);
// Flushes the folder's list of names to the disk.
Result<void> sync_folder(const std::string& path);
// Flushes the whole file system of `path`. For many small files this one call is faster.
Result<void> sync_file_system(const std::string& path);

}  // namespace seekless

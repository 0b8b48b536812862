// Answers calls for the lists of names in a served folder.
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "packer/serve/internal/calls.h"

namespace seekless::serve {
namespace {

struct FolderStream {
  explicit FolderStream(DIR* opened) : list(opened) {}
  ~FolderStream() { ::closedir(list); }
  FolderStream(const FolderStream&) = delete;
  FolderStream& operator=(const FolderStream&) = delete;

  DIR* list;
  long at = 0;
  const dirent* waiting = nullptr;  // an entry that didn't fit into the last answer
  std::mutex mutex;
};

FolderStream& open_folder(const fuse_file_info* info) {
  return *reinterpret_cast<FolderStream*>(info->fh);
}

void on_open_folder(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  Served& served = served_by(request);
  Node& node = node_of(request, number);
  served.reader.looks_up(served.nodes.path_of(node) + "/");
  const auto original = served.nodes.original_of(node);
  // Opening "." inside the folder would need the right to search it.
  const std::string path = path_of_open(original->get());
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (info->flags & O_NOATIME);
  const int opened = ::open(path.c_str(), flags);
  DIR* list = opened < 0 ? nullptr : ::fdopendir(opened);
  if (list == nullptr) {
    const int error = errno;
    if (opened >= 0) ::close(opened);
    fuse_reply_err(request, error);
    return;
  }
  auto folder = std::make_unique<FolderStream>(list);
  struct stat status = {};
  ::fstat(opened, &status);
  info->cache_readdir = 1;
  info->keep_cache = served.nodes.note_opened(node, stamp_of(status)) ? 1 : 0;
  info->fh = reinterpret_cast<uint64_t>(folder.get());
  if (fuse_reply_open(request, info) == 0) static_cast<void>(folder.release());
}

void on_close_folder(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  delete &open_folder(info);
  fuse_reply_err(request, 0);
}

// Returns the entry's size in bytes, or more than `room` if it doesn't fit.
size_t add_entry(fuse_req_t request, const dirent& found, std::span<char> room) {
  struct stat status = {};
  status.st_ino = found.d_ino;
  status.st_mode = static_cast<mode_t>(found.d_type) << 12;
  return fuse_add_direntry(request, room.data(), room.size(), found.d_name, &status, found.d_off);
}

// Returns how many bytes of `answer` the names from `offset` on take.
OsResult<size_t> list_names(fuse_req_t request, FolderStream& folder, off_t offset,
                            std::span<char> answer) {
  const std::lock_guard lock(folder.mutex);
  if (offset != folder.at) {
    ::seekdir(folder.list, offset);
    folder.waiting = nullptr;
    folder.at = offset;
  }
  size_t used = 0;
  for (;;) {
    errno = 0;
    if (folder.waiting == nullptr) folder.waiting = ::readdir(folder.list);
    if (folder.waiting == nullptr) {
      if (errno != 0 && used == 0) return std::unexpected(errno);
      return used;
    }
    const size_t needed = add_entry(request, *folder.waiting, answer.subspan(used));
    if (needed > answer.size() - used) return used;
    used += needed;
    folder.at = folder.waiting->d_off;
    folder.waiting = nullptr;
  }
}

// Lists names. After the reply the game may close the folder, and another thread then frees it. So
// nothing of it may be used after the reply, not even its mutex.
void on_read_folder(fuse_req_t request, fuse_ino_t, size_t size, off_t offset,
                    fuse_file_info* info) {
  std::vector<char> answer(size);
  const auto used = list_names(request, open_folder(info), offset, answer);
  if (used)
    fuse_reply_buf(request, answer.data(), *used);
  else
    fuse_reply_err(request, used.error());
}

void on_sync_folder(fuse_req_t request, fuse_ino_t, int only_data, fuse_file_info* info) {
  const int folder = ::dirfd(open_folder(info).list);
  reply_done(request, only_data != 0 ? ::fdatasync(folder) : ::fsync(folder));
}

}  // namespace

void add_folder_calls(fuse_lowlevel_ops& calls) {
  calls.opendir = guarded<on_open_folder>;
  calls.releasedir = guarded<on_close_folder>;
  // Names are listed without attributes, so a game that only lists names doesn't make the disk seek
  // for each of them.
  calls.readdir = guarded<on_read_folder>;
  calls.fsyncdir = guarded<on_sync_folder>;
}

}  // namespace seekless::serve

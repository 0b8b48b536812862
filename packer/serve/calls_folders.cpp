// Answers calls for the lists of names in a served folder.
#include <algorithm>
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
  // place_behind[i] is the original's position after its i-th entry (d_off). The kernel gets
  // ordinals instead: a position may have 64 bits, and a 32-bit program can't read a list with such
  // positions.
  std::vector<long> place_behind;
  size_t at = 0;                    // number of entries before the next one
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
  if (original->get() < 0) return reply_error(request, ESTALE);
  // Opening "." inside the folder would need the right to search it.
  const std::string path = path_of_open(original->get());
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (info->flags & O_NOATIME);
  int opened = ::open(path.c_str(), flags);
  while (opened < 0 && is_lack_of_descriptors(errno) && served.nodes.let_go_of_one())
    opened = ::open(path.c_str(), flags);
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

// Returns the entry's size in bytes, or more than `room` if it doesn't fit. `next` is the ordinal
// of the entry after it.
size_t add_entry(fuse_req_t request, const dirent& found, size_t next, std::span<char> room) {
  struct stat status = {};
  status.st_ino = found.d_ino;
  status.st_mode = static_cast<mode_t>(found.d_type) << 12;
  return fuse_add_direntry(request, room.data(), room.size(), found.d_name, &status,
                           static_cast<off_t>(next));
}

// Returns nothing at the end of the list, or with an errno.
const dirent* next_entry(FolderStream& folder) {
  errno = 0;
  if (folder.waiting == nullptr) folder.waiting = ::readdir(folder.list);
  return folder.waiting;
}

void pass_entry(FolderStream& folder) {
  folder.place_behind.resize(folder.at);
  folder.place_behind.push_back(folder.waiting->d_off);
  ++folder.at;
  folder.waiting = nullptr;
}

// Goes to the entry with that ordinal. This stream may not have listed all entries before it: the
// kernel caches lists, and may ask for the rest of a list through another stream.
void go_to(FolderStream& folder, size_t ordinal) {
  folder.at = std::min(ordinal, folder.place_behind.size());
  folder.waiting = nullptr;
  ::seekdir(folder.list, folder.at == 0 ? 0 : folder.place_behind[folder.at - 1]);
  while (folder.at < ordinal && next_entry(folder) != nullptr) pass_entry(folder);
}

// Returns how many bytes of `answer` the names from `offset` on take.
OsResult<size_t> list_names(fuse_req_t request, FolderStream& folder, off_t offset,
                            std::span<char> answer) {
  const std::lock_guard lock(folder.mutex);
  if (static_cast<size_t>(offset) != folder.at) go_to(folder, static_cast<size_t>(offset));
  size_t used = 0;
  while (next_entry(folder) != nullptr) {
    const size_t needed = add_entry(request, *folder.waiting, folder.at + 1, answer.subspan(used));
    if (needed > answer.size() - used) return used;
    used += needed;
    pass_entry(folder);
  }
  if (errno != 0 && used == 0) return std::unexpected(errno);
  return used;
}

// Lists names. After the reply the game may close the folder, and another thread then frees the
// stream. So nothing of the stream may be used after the reply, not even its mutex.
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

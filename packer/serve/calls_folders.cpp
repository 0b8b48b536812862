// Lists of names in a served folder.
#include <cstring>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "packer/serve/calls.h"

namespace seekless::serve {
namespace {

struct OpenFolder {
  explicit OpenFolder(DIR* opened) : list(opened) {}
  ~OpenFolder() { ::closedir(list); }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  DIR* list;
  long at = 0;
  const dirent* waiting = nullptr;  // that didn't fit into the last answer
  std::mutex mutex;
};

OpenFolder& open_folder(const fuse_file_info* info) {
  return *reinterpret_cast<OpenFolder*>(info->fh);
}

void on_open_folder(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  Served& served = served_by(request);
  Node& node = node_of(request, number);
  const int opened = ::openat(node.held->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = opened < 0 ? nullptr : ::fdopendir(opened);
  if (list == nullptr) {
    const int error = errno;
    if (opened >= 0) ::close(opened);
    fuse_reply_err(request, error);
    return;
  }
  auto folder = std::make_unique<OpenFolder>(list);
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

bool is_dots(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

// How many bytes the entry takes; more than `room` if it doesn't fit. With `plus` its attributes
// are told too, which counts as a lookup. A name that went away in between is told without.
size_t add_entry(fuse_req_t request, fuse_ino_t parent, const dirent& found, std::span<char> room,
                 bool plus) {
  fuse_entry_param entry = {};
  entry.attr.st_ino = found.d_ino;
  entry.attr.st_mode = static_cast<mode_t>(found.d_type) << 12;
  if (!plus)
    return fuse_add_direntry(request, room.data(), room.size(), found.d_name, &entry.attr,
                             found.d_off);
  const size_t needed =
      fuse_add_direntry_plus(request, nullptr, 0, found.d_name, &entry, found.d_off);
  if (needed > room.size()) return needed;
  if (!is_dots(found.d_name))
    if (auto known = find_entry(request, parent, found.d_name)) entry = *known;
  return fuse_add_direntry_plus(request, room.data(), room.size(), found.d_name, &entry,
                                found.d_off);
}

void read_folder(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                 fuse_file_info* info, bool plus) {
  OpenFolder& folder = open_folder(info);
  const std::lock_guard lock(folder.mutex);
  if (offset != folder.at) {
    ::seekdir(folder.list, offset);
    folder.waiting = nullptr;
    folder.at = offset;
  }
  std::vector<char> answer(size);
  size_t used = 0;
  for (;;) {
    errno = 0;
    if (folder.waiting == nullptr) folder.waiting = ::readdir(folder.list);
    if (folder.waiting == nullptr) {
      if (errno != 0 && used == 0) {
        fuse_reply_err(request, errno);
        return;
      }
      break;
    }
    const size_t needed =
        add_entry(request, number, *folder.waiting, std::span(answer).subspan(used), plus);
    if (needed > size - used) break;
    used += needed;
    folder.at = folder.waiting->d_off;
    folder.waiting = nullptr;
  }
  fuse_reply_buf(request, answer.data(), used);
}

void on_read_folder(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                    fuse_file_info* info) {
  read_folder(request, number, size, offset, info, false);
}

void on_read_folder_plus(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
                         fuse_file_info* info) {
  read_folder(request, number, size, offset, info, true);
}

void on_sync_folder(fuse_req_t request, fuse_ino_t, int only_data, fuse_file_info* info) {
  const int folder = ::dirfd(open_folder(info).list);
  reply_done(request, only_data != 0 ? ::fdatasync(folder) : ::fsync(folder));
}

}  // namespace

void add_folder_calls(fuse_lowlevel_ops& calls) {
  calls.opendir = guarded<on_open_folder>;
  calls.releasedir = guarded<on_close_folder>;
  calls.readdir = guarded<on_read_folder>;
  calls.readdirplus = guarded<on_read_folder_plus>;
  calls.fsyncdir = guarded<on_sync_folder>;
}

}  // namespace seekless::serve

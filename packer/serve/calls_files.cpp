// What is in the files of a served folder: opening, reading, writing. What is written goes to the
// original at once.
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "packer/serve/calls.h"

namespace seekless::serve {
namespace {

// The kernel asks for no more at once, unless libfuse told it so.
constexpr size_t kUsualReadBytes = size_t{128} << 10;

bool is_for_writing(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}

void on_open(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  auto file = open_node(request, node_of(request, number), *info);
  if (!file) {
    fuse_reply_err(request, file.error());
    return;
  }
  info->fh = reinterpret_cast<uint64_t>(file->get());
  if (fuse_reply_open(request, info) == 0) static_cast<void>(file->release());
}

void on_close(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  delete open_file(info);
  fuse_reply_err(request, 0);
}

// Some file systems tell only on closing what couldn't be written.
void on_flush(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  const int copy = ::dup(open_file(info)->file.get());
  reply_done(request, copy < 0 ? -1 : ::close(copy));
}

void on_sync(fuse_req_t request, fuse_ino_t, int only_data, fuse_file_info* info) {
  const int file = open_file(info)->file.get();
  reply_done(request, only_data != 0 ? ::fdatasync(file) : ::fsync(file));
}

void on_read(fuse_req_t request, fuse_ino_t, size_t size, off_t offset, fuse_file_info* info) {
  thread_local std::vector<std::byte> buffer(kUsualReadBytes);
  if (size > buffer.size()) buffer.resize(size);
  const OpenFile& file = *open_file(info);
  const ssize_t got =
      served_by(request).reader.read({.file = file.number,
                                      .descriptor = file.file.get(),
                                      .offset_bytes = static_cast<uint64_t>(offset),
                                      .thread = static_cast<uint32_t>(fuse_req_ctx(request)->pid)},
                                     std::span(buffer).first(size));
  if (got < 0)
    fuse_reply_err(request, static_cast<int>(-got));
  else
    fuse_reply_buf(request, reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(got));
}

void on_write(fuse_req_t request, fuse_ino_t, const char* bytes, size_t size, off_t offset,
              fuse_file_info* info) {
  const ssize_t put = ::pwrite(open_file(info)->file.get(), bytes, size, offset);
  if (put < 0)
    fuse_reply_err(request, errno);
  else
    fuse_reply_write(request, static_cast<size_t>(put));
}

void on_allocate(fuse_req_t request, fuse_ino_t, int mode, off_t offset, off_t length,
                 fuse_file_info* info) {
  reply_done(request, ::fallocate(open_file(info)->file.get(), mode, offset, length));
}

void on_seek(fuse_req_t request, fuse_ino_t, off_t offset, int whence, fuse_file_info* info) {
  const off_t found = ::lseek(open_file(info)->file.get(), offset, whence);
  if (found < 0)
    fuse_reply_err(request, errno);
  else
    fuse_reply_lseek(request, found);
}

void on_copy_range(fuse_req_t request, fuse_ino_t, off_t from, fuse_file_info* from_info,
                   fuse_ino_t, off_t to, fuse_file_info* to_info, size_t length, int flags) {
  const ssize_t copied =
      ::copy_file_range(open_file(from_info)->file.get(), &from, open_file(to_info)->file.get(),
                        &to, length, static_cast<unsigned>(flags));
  if (copied < 0)
    fuse_reply_err(request, errno);
  else
    fuse_reply_write(request, static_cast<size_t>(copied));
}

}  // namespace

OsResult<std::unique_ptr<OpenFile>> open_node(fuse_req_t request, Node& node,
                                              fuse_file_info& info) {
  Served& served = served_by(request);
  const NodePlace place = served.nodes.place_of(node);
  const std::string path = served.nodes.path_of(node);
  if (is_for_writing(info.flags)) served.reader.changes(path);
  // The kernel does the appending and the going past the cache.
  const int flags = (info.flags & ~(O_DIRECT | O_APPEND | O_NOFOLLOW)) | O_CLOEXEC;
  auto file = std::make_unique<OpenFile>(
      place.name.empty() ? ::open(place.path().c_str(), flags)
                         : ::openat(place.folder->get(), place.name.c_str(), flags | O_NOFOLLOW));
  if (file->file.get() < 0) return std::unexpected(errno == ELOOP ? ESTALE : errno);
  struct stat status = {};
  if (::fstat(file->file.get(), &status) != 0) return std::unexpected(errno);
  if (key_of(status) != place.key) return std::unexpected(ESTALE);
  const ChangeStamp stamp = stamp_of(status);
  info.keep_cache = served.nodes.note_opened(node, stamp) ? 1 : 0;
  // Closing what was only read can't fail: the kernel needn't ask, and a close waits for nobody.
  info.noflush = is_for_writing(info.flags) ? 0 : 1;
  file->number = served.reader.open(path, stamp, static_cast<uint32_t>(fuse_req_ctx(request)->pid));
  return file;
}

void add_file_calls(fuse_lowlevel_ops& calls) {
  calls.open = guarded<on_open>;
  calls.release = guarded<on_close>;
  calls.flush = guarded<on_flush>;
  calls.fsync = guarded<on_sync>;
  calls.read = guarded<on_read>;
  calls.write = guarded<on_write>;
  calls.fallocate = guarded<on_allocate>;
  calls.lseek = guarded<on_seek>;
  calls.copy_file_range = guarded<on_copy_range>;
}

}  // namespace seekless::serve

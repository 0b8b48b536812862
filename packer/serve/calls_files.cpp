// Answers calls for the contents of served files: opening, reading, writing. Writes go to the
// original at once.
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "packer/serve/internal/calls.h"

namespace seekless::serve {
namespace {

// The kernel asks for at most this much at once, unless libfuse tells it otherwise.
constexpr size_t kUsualReadBytes = size_t{128} << 10;

bool is_for_writing(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}

// Opens the original without O_APPEND, because data written through shared memory has a fixed
// offset. A file that may only grow (chattr +a) can be opened only for appending.
std::unique_ptr<OpenFile> open_original(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags & ~O_APPEND);
  if (file >= 0 || errno != EPERM || (flags & O_APPEND) == 0)
    return std::make_unique<OpenFile>(file);
  auto appending = std::make_unique<OpenFile>(::open(path.c_str(), flags));
  appending->only_appends = true;
  return appending;
}

// Opens the file through a descriptor opened with O_PATH. Another program may have replaced the
// file by a device, or by a pipe, and opening a pipe would wait for a writer. If the name is gone
// or leads to another file, the kernel looks it up again.
OsResult<std::unique_ptr<OpenFile>> open_place(fuse_req_t request, const NodePlace& place,
                                               int flags) {
  const auto reached = reach(place);
  if (!reached) return std::unexpected(reached.error() == ENOENT ? ESTALE : reached.error());
  const std::string path = path_of_open((*reached)->get());
  // Reads go through the page cache, even if the game opened the file with O_DIRECT.
  const int passed_on = (flags & ~(O_DIRECT | O_NOFOLLOW)) | O_CLOEXEC;
  std::unique_ptr<OpenFile> file;
  const int opened = as_caller(request, [&] {
    file = open_original(path, passed_on);
    return file->file->get();
  });
  if (opened < 0) return std::unexpected(errno);
  return file;
}

// Opens the original, and tells the kernel whether its cached pages of the file are still valid.
OsResult<std::unique_ptr<OpenFile>> open_node(fuse_req_t request, fuse_ino_t number,
                                              fuse_file_info& info) {
  Served& served = served_by(request);
  Node& node = node_of(request, number);
  const std::string path = served.nodes.path_of(node);
  if (is_for_writing(info.flags)) served.reader.changes(path);
  const NodePlace place = served.nodes.place_of(node);
  auto file = open_place(request, place, info.flags);
  while (!file && is_lack_of_descriptors(file.error()) && served.nodes.let_go_of_one())
    file = open_place(request, place, info.flags);
  if (!file) return file;
  struct stat status = {};
  if (::fstat((*file)->file->get(), &status) != 0) return std::unexpected(errno);
  const ChangeStamp stamp = stamp_of(status);
  info.keep_cache = served.nodes.note_opened(node, stamp) ? 1 : 0;
  // Otherwise the kernel would read, and append, at the file's former end.
  if (!served.nodes.is_told(node, stamp)) served.session->tell_changed(number);
  // Closing a file that was only read can't fail, so the kernel needn't send a flush, and close()
  // waits for nothing.
  info.noflush = is_for_writing(info.flags) ? 0 : 1;
  served.nodes.note_in_use(node, (*file)->file);
  (*file)->number =
      served.reader.open(path, stamp, static_cast<uint32_t>(fuse_req_ctx(request)->pid));
  return file;
}

void on_open(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  auto file = open_node(request, number, *info);
  if (!file) return reply_error(request, file.error());
  info->fh = reinterpret_cast<uint64_t>(file->get());
  if (fuse_reply_open(request, info) == 0) static_cast<void>(file->release());
}

void on_close(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  delete open_file(info);
  fuse_reply_err(request, 0);
}

// Passes on what a close reports: some file systems report a failed write only then.
void on_flush(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  const int copy = ::dup(open_file(info)->file->get());
  reply_done(request, copy < 0 ? -1 : ::close(copy));
}

void on_sync(fuse_req_t request, fuse_ino_t, int only_data, fuse_file_info* info) {
  const int file = open_file(info)->file->get();
  reply_done(request, only_data != 0 ? ::fdatasync(file) : ::fsync(file));
}

void on_read(fuse_req_t request, fuse_ino_t, size_t size, off_t offset, fuse_file_info* info) {
  thread_local std::vector<std::byte> buffer(kUsualReadBytes);
  if (size > buffer.size()) buffer.resize(size);
  const OpenFile& file = *open_file(info);
  const ssize_t got =
      served_by(request).reader.read({.file = file.number,
                                      .descriptor = file.file->get(),
                                      .offset_bytes = static_cast<uint64_t>(offset),
                                      .thread = static_cast<uint32_t>(fuse_req_ctx(request)->pid)},
                                     std::span(buffer).first(size));
  if (got < 0)
    fuse_reply_err(request, static_cast<int>(-got));
  else
    fuse_reply_buf(request, reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(got));
}

// Returns the number of bytes written, or a negated errno if none were.
ssize_t write_all(int file, std::span<const char> bytes, off_t offset, int how) {
  size_t done = 0;
  while (done < bytes.size()) {
    const auto left = bytes.subspan(done);
    const iovec piece = {const_cast<char*>(left.data()), left.size()};
    const ssize_t put = ::pwritev2(file, &piece, 1, offset + static_cast<off_t>(done), how);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && done == 0) return -errno;
    if (put <= 0) break;
    done += static_cast<size_t>(put);
  }
  return static_cast<ssize_t>(done);
}

// Writes data. The kernel's idea of the file's end may be ten minutes old, so appended data goes to
// the real end whatever the offset says. Data written through mapped memory keeps its offset.
void on_write(fuse_req_t request, fuse_ino_t, const char* bytes, size_t size, off_t offset,
              fuse_file_info* info) {
  const OpenFile& file = *open_file(info);
  const bool is_of_memory = info->writepage != 0;
  const AsCaller caller(request, AsCaller::Rights::opened);
  if (caller.error() != 0 || (is_of_memory && file.only_appends))
    return reply_error(request, EPERM);
  const bool appends = !is_of_memory && (info->flags & O_APPEND) != 0;
  const ssize_t put =
      write_all(file.file->get(), std::span(bytes, size), offset, appends ? RWF_APPEND : 0);
  if (put < 0)
    fuse_reply_err(request, static_cast<int>(-put));
  else
    fuse_reply_write(request, static_cast<size_t>(put));
}

void on_allocate(fuse_req_t request, fuse_ino_t, int mode, off_t offset, off_t length,
                 fuse_file_info* info) {
  const AsCaller caller(request, AsCaller::Rights::opened);
  reply_done(request, ::fallocate(open_file(info)->file->get(), mode, offset, length));
}

void on_seek(fuse_req_t request, fuse_ino_t, off_t offset, int whence, fuse_file_info* info) {
  const off_t found = ::lseek(open_file(info)->file->get(), offset, whence);
  if (found < 0)
    fuse_reply_err(request, errno);
  else
    fuse_reply_lseek(request, found);
}

void on_copy_range(fuse_req_t request, fuse_ino_t, off_t from, fuse_file_info* from_info,
                   fuse_ino_t, off_t to, fuse_file_info* to_info, size_t length, int flags) {
  const AsCaller caller(request, AsCaller::Rights::opened);
  const ssize_t copied =
      ::copy_file_range(open_file(from_info)->file->get(), &from, open_file(to_info)->file->get(),
                        &to, length, static_cast<unsigned>(flags));
  if (copied < 0)
    fuse_reply_err(request, errno);
  else
    fuse_reply_write(request, static_cast<size_t>(copied));
}

}  // namespace

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

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/fence.h"

namespace seekless::calls {
namespace {

constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;
constexpr mode_t kAsTheUserLikes =  // the user's mask still applies
    S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;

Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return Kind::file;
  if (S_ISDIR(mode)) return Kind::folder;
  if (S_ISLNK(mode)) return Kind::link;
  if (S_ISFIFO(mode)) return Kind::pipe;
  return S_ISSOCK(mode) ? Kind::socket : Kind::device;
}

// Treats "there is nothing to flush" as success. Some file systems, and things that aren't files,
// report that (fsync(2)); data written there can't be made safer. Lost data gives EIO or another
// error.
int flushed(int answer) {
  const bool has_nothing_to_flush = errno == EINVAL || errno == EROFS || errno == ENOTSUP ||
                                    errno == EOPNOTSUPP || errno == ENOSYS;
  return answer != 0 && has_nothing_to_flush ? 0 : answer;
}

// Calls a function in the folder, or returns why the folder couldn't be opened.
template <typename Call>
int in(const OpenFolder& folder, const Call& call) {
  if (folder.is_open()) return call(folder.descriptor());
  errno = folder.os_error();
  return -1;
}

int open_in(const OpenFolder& folder, const std::string& name, int how, mode_t mode = 0) {
  return in(folder, [&](int at) { return ::openat(at, name.c_str(), how | O_CLOEXEC, mode); });
}

bool are_same(int a, int b) {
  struct stat of_a = {};
  struct stat of_b = {};
  return ::fstat(a, &of_a) == 0 && ::fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

// A folder that can be written but not listed can't be opened, and so can't be flushed.
template <typename Flush>
int flush_through(const OpenFolder& folder, Flush flush_opened) {
  const Descriptor opened(open_in(folder, ".", O_RDONLY | O_DIRECTORY));
  if (opened.get() < 0) return errno == EACCES ? 0 : -1;
  return flush_opened(opened.get());
}

}  // namespace

int open_to_read(const std::string& path, bool waits_for_writers) {
  // Without this flag, opening a pipe would wait for a writer.
  const int waits = waits_for_writers ? 0 : O_NONBLOCK;
  const auto place = NameInFolder::of(path);
  return open_in(place.folder, place.name, O_RDONLY | O_NOCTTY | waits);
}

int open_to_write(const OpenFolder& folder, const std::string& name) {
  return open_in(folder, name, O_WRONLY | O_CREAT, kAsTheUserLikes);
}

int create_new(const OpenFolder& folder, const std::string& name, bool is_private) {
  return open_in(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
                 is_private ? kPrivate : kAsTheUserLikes);
}

int open_there(const OpenFolder& folder, const std::string& name) {
  return open_in(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
}

int open_there_to_read(const OpenFolder& folder, const std::string& name) {
  return open_in(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

int open_nameless() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return -1;
  const int number = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0);
  const int os_error = errno;
  std::fclose(file);
  errno = os_error;
  return number;
}

int open_past_cache(const OpenFolder& folder, const std::string& name, int file) {
  Descriptor found(open_in(folder, name, O_WRONLY | O_DIRECT | O_NOFOLLOW | O_NONBLOCK));
  return found.get() >= 0 && are_same(found.get(), file) ? found.release() : -1;
}

int close(int file) noexcept {
  return ::close(file);
}

bool look_at(int file, Status& status) {
  struct stat found = {};
  if (::fstat(file, &found) != 0) return false;
  status = {kind_of(found.st_mode), static_cast<uint64_t>(found.st_size)};
  return true;
}

bool is_there(const OpenFolder& folder, const std::string& name) noexcept {
  struct stat found = {};
  return in(folder,
            [&](int at) { return ::fstatat(at, name.c_str(), &found, AT_SYMLINK_NOFOLLOW); }) == 0;
}

bool is_there(const std::string& path) noexcept {
  struct stat found = {};
  return ::lstat(path.c_str(), &found) == 0;
}

int64_t read(int file, void* bytes, size_t count) {
  return ::read(file, bytes, count);
}

int64_t read_at(int file, void* bytes, size_t count, uint64_t offset_bytes) {
  return ::pread(file, bytes, count, static_cast<off_t>(offset_bytes));
}

int64_t write(int file, const void* bytes, size_t count) {
  return ::write(file, bytes, count);
}

int64_t write_at(int file, const void* bytes, size_t count, uint64_t offset_bytes) {
  return ::pwrite(file, bytes, count, static_cast<off_t>(offset_bytes));
}

int reserve(int file, uint64_t size_bytes) {
  return ::posix_fallocate(file, 0, static_cast<off_t>(size_bytes));
}

int resize(int file, uint64_t size_bytes) {
  return ::ftruncate(file, static_cast<off_t>(size_bytes));
}

int flush(int file) {
  return flushed(::fsync(file));
}

int lock(int file) noexcept {
  return ::flock(file, LOCK_EX | LOCK_NB);
}

int rename(const OpenFolder& from_folder, const std::string& from, const OpenFolder& to_folder,
           const std::string& to) {
  return in(from_folder, [&](int source) {
    return in(to_folder,
              [&](int target) { return ::renameat(source, from.c_str(), target, to.c_str()); });
  });
}

int remove_file(const OpenFolder& folder, const std::string& name) {
  return in(folder, [&](int at) { return ::unlinkat(at, name.c_str(), 0); });
}

int remove_folder(const OpenFolder& folder, const std::string& name) {
  return in(folder, [&](int at) { return ::unlinkat(at, name.c_str(), AT_REMOVEDIR); });
}

int flush_folder(const OpenFolder& folder) {
  return flush_through(folder, flush);
}

int flush_file_system(const OpenFolder& folder) {
  return flush_through(folder, [](int descriptor) { return flushed(::syncfs(descriptor)); });
}

bool is_no_room(int os_error) {
  return os_error == ENOSPC || os_error == EDQUOT || os_error == EFBIG;
}

bool is_lost_connection(int os_error) {
  return os_error == ESTALE || os_error == ETIMEDOUT || os_error == EREMOTEIO;
}

bool random_bytes(void* bytes, size_t count) {
  while (::getrandom(bytes, count, 0) != static_cast<ssize_t>(count))
    if (errno != EINTR) return false;
  return true;
}

}  // namespace seekless::calls

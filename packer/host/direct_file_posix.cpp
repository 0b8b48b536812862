#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "packer/host/direct_file.h"
#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

constexpr size_t kAlignmentBytes = 4096;  // sector size of any drive, or a multiple of it

std::unexpected<Error> not_measurable(const std::string& path, std::string found) {
  return failed({.file = path,
                 .expected = "a block device, or a file on one",
                 .found = std::move(found),
                 .advice = "name the drive, such as /dev/sda, or a large file on it"});
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISCHR(mode)) return "a character device";
  return "a pipe or socket";
}

// Returns true if the file system keeps its files in memory, even if it accepts O_DIRECT.
bool lies_in_memory(int descriptor) {
  constexpr decltype(std::declval<struct statfs>().f_type) kRamfsMagic = 0x858458f6;
  struct statfs status = {};
  return ::fstatfs(descriptor, &status) == 0 &&
         (status.f_type == TMPFS_MAGIC || status.f_type == kRamfsMagic);
}

bool is_about_the_place(int os_error) {
  return os_error == EIO || os_error == EILSEQ || os_error == ENODATA || os_error == EREMOTEIO ||
         os_error == ETIMEDOUT || os_error == EBADMSG;
}

}  // namespace

void DirectFile::FreeAligned::operator()(std::byte* bytes) const {
  std::free(bytes);
}

Result<DirectFile> DirectFile::open(const std::string& path, uint64_t largest_read_bytes) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return failed_call(path, "open", errno);
  // This is checked before opening, because opening a pipe waits for its other end.
  const bool is_device = S_ISBLK(status.st_mode);
  if (!is_device && !S_ISREG(status.st_mode)) return not_measurable(path, kind_of(status.st_mode));
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0 && errno == EINVAL)
    return not_measurable(path, "a file system that can't read past its cache (O_DIRECT)");
  if (descriptor.get() < 0)
    return failed_call(path, "open", errno,
                       errno == EACCES || errno == EPERM
                           ? "a drive can be read by root, or by who may read its device"
                           : "");
  DirectFile file(path, std::move(descriptor), static_cast<uint64_t>(status.st_size), is_device);
  if (!is_device && lies_in_memory(file.descriptor_.get()))
    return not_measurable(path, "a file system in memory (tmpfs)");
  if (is_device && ::ioctl(file.descriptor_.get(), BLKGETSIZE64, &file.size_bytes_) != 0)
    return failed_call(path, "ask for the size of", errno);
  if (file.size_bytes_ == 0)
    return not_measurable(path,
                          is_device ? "a device of 0 bytes, without a medium" : "an empty file");
  file.buffer_.reset(
      static_cast<std::byte*>(std::aligned_alloc(kAlignmentBytes, largest_read_bytes)));
  if (!file.buffer_) throw std::bad_alloc();
  return file;
}

Result<bool> DirectFile::read(uint64_t position_bytes, uint64_t length_bytes) {
  uint64_t done_bytes = 0;
  while (done_bytes < length_bytes) {
    if (is_interrupted())
      return failed({.file = name_,
                     .found = "the run interrupted",
                     .advice = "nothing was written; run it again"});
    const ssize_t got =
        ::pread(descriptor_.get(), buffer_.get(), static_cast<size_t>(length_bytes - done_bytes),
                static_cast<off_t>(position_bytes + done_bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && is_about_the_place(errno)) return false;
    const std::string place = fmt::format("read at byte {} of", position_bytes + done_bytes);
    if (got < 0 && errno == EINVAL)
      return not_measurable(name_, "a file system that can't read past its cache (O_DIRECT)");
    if (got < 0) return failed_call(name_, place, errno);
    if (got == 0)
      return failed({.file = name_,
                     .place = fmt::format("byte {}", position_bytes + done_bytes),
                     .expected = fmt::format("{} bytes in all", size_bytes_),
                     .found = "the end",
                     .advice = "it changed while it was measured"});
    done_bytes += static_cast<uint64_t>(got);
  }
  return true;
}

}  // namespace seekless

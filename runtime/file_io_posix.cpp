#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/file_io.h"

namespace seekless::runtime {
namespace {

std::unexpected<Error> failed(const std::string& name, const char* action, int os_error,
                              uint64_t offset_bytes = kNoOffset) {
  const skl_result result = os_error == ENOENT || os_error == ENOTDIR ? SKL_NOT_FOUND : SKL_IO;
  return std::unexpected(
      Error{result, name + ": cannot " + action + ": " + std::generic_category().message(os_error),
            os_error, offset_bytes});
}

class PosixFile final : public File {
 public:
  PosixFile(std::string name, int descriptor, uint64_t size_bytes)
      : name_(std::move(name)), descriptor_(descriptor), size_bytes_(size_bytes) {}
  ~PosixFile() override { ::close(descriptor_); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return size_bytes_; }

  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const ssize_t got =
          ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset_bytes));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(name_, "read", errno, offset_bytes);
      if (got == 0)
        return damaged(name_ + ": byte " + std::to_string(offset_bytes) + ": expected " +
                           std::to_string(into.size()) +
                           " more bytes, found the end; the file is cut short",
                       offset_bytes);
      offset_bytes += static_cast<uint64_t>(got);
      into = into.subspan(static_cast<size_t>(got));
    }
    return {};
  }

  void will_need(uint64_t offset_bytes, uint64_t length_bytes) const override {
    // Linux cuts a longer wish off at what the device takes at once (at least its read-ahead, 128
    // KiB by default), without a word; what is cut off would be read later, against the sweep.
    constexpr uint64_t kWishBytes = uint64_t{128} << 10;
    for (uint64_t done = 0; done < length_bytes; done += kWishBytes)
      ::posix_fadvise(descriptor_, static_cast<off_t>(offset_bytes + done),
                      static_cast<off_t>(std::min(kWishBytes, length_bytes - done)),
                      POSIX_FADV_WILLNEED);
  }

 private:
  std::string name_;
  int descriptor_;
  uint64_t size_bytes_;
};

class PosixFileIo final : public FileIo {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    // Else opening a pipe would wait for somebody to write.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return failed(path, "open", errno);
    struct stat status = {};
    int os_error = ::fstat(descriptor, &status) != 0 ? errno : 0;
    if (os_error == 0 && !S_ISREG(status.st_mode))
      os_error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    if (os_error != 0) {
      ::close(descriptor);
      return failed(path, "open", os_error);
    }
    return std::make_unique<PosixFile>(path, descriptor, static_cast<uint64_t>(status.st_size));
  }

  bool is_folder(const std::string& path) const override {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  }
};

}  // namespace

void will_fill([[maybe_unused]] std::span<std::byte> memory) {
#ifdef MADV_HUGEPAGE
  ::madvise(memory.data(), memory.size(), MADV_HUGEPAGE);
#endif
}

std::unique_ptr<FileIo> make_system_file_io() {
  return std::make_unique<PosixFileIo>();
}

}  // namespace seekless::runtime

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/vfs.h>
#endif

#include "runtime/descriptor_posix.h"
#include "runtime/file_io.h"
#include "runtime/file_link.h"
#include "runtime/media.h"

namespace seekless::runtime {
namespace {

struct FileStart {
  uint64_t bytes = 0;
  bool is_known = false;
};

// Finds the position of the file's first byte on its device. If the system doesn't tell, the inode
// number is used instead: files created in sequence have ascending numbers and mostly lie in that
// order.
FileStart start_on_device(int descriptor, uint64_t inode) {
#ifdef FS_IOC_FIEMAP
  alignas(fiemap) std::array<std::byte, sizeof(fiemap) + sizeof(fiemap_extent)> memory = {};
  auto& request = *reinterpret_cast<fiemap*>(memory.data());
  request.fm_length = 1;
  request.fm_extent_count = 1;
  if (::ioctl(descriptor, FS_IOC_FIEMAP, &request) == 0 && request.fm_mapped_extents == 1 &&
      (request.fm_extents[0].fe_flags & FIEMAP_EXTENT_UNKNOWN) == 0)
    return {request.fm_extents[0].fe_physical, true};
#endif
  constexpr uint64_t kInodes = uint64_t{1} << 20;
  constexpr uint64_t kApartBytes = uint64_t{1} << 42;
  return {inode % kInodes * kApartBytes, false};
}

bool lies_in_memory([[maybe_unused]] int descriptor) {
#ifdef __linux__
  constexpr int64_t kTmpfs = 0x01021994;  // file system magic numbers from linux/magic.h
  constexpr int64_t kRamfs = 0x858458f6;
  struct statfs status = {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  const auto type = static_cast<int64_t>(status.f_type);
  return type == kTmpfs || type == kRamfs;
#else
  return false;
#endif
}

#ifdef RUSAGE_THREAD
rusage usage_of_thread() {
  rusage usage = {};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage;
}
#endif

FileStamp stamp_of(const struct stat& status) {
  return {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
          static_cast<uint64_t>(status.st_size),
          int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

// A part of a file that the caller has opened.
struct BorrowedPart {
  int descriptor = -1;
  uint64_t offset_bytes = 0;
  std::shared_ptr<const void> keeps;
};

class PosixFile final : public File {
 public:
  PosixFile(std::string name, Descriptor opened, const FileStamp& stamp, BorrowedPart part = {})
      : name_(std::move(name)),
        opened_(std::move(opened)),
        descriptor_(part.descriptor >= 0 ? part.descriptor : opened_.number()),
        begin_bytes_(part.offset_bytes),
        keeps_(std::move(part.keeps)),
        stamp_(stamp) {}

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return stamp_.size_bytes; }
  FileStamp stamp() const override { return stamp_; }

  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    bool was_dropped = false;
    while (!into.empty()) {
      const ssize_t got = ::pread(descriptor_, into.data(), into.size(), in_file(offset_bytes));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EIO && !was_dropped) {
        drop_cached(offset_bytes, into.size());
        was_dropped = true;
        continue;
      }
      if (got <= 0)
        return std::unexpected(read_error(*this, offset_bytes, into.size(), got < 0 ? errno : 0));
      offset_bytes += static_cast<uint64_t>(got);
      into = into.subspan(static_cast<size_t>(got));
    }
    return {};
  }

  void will_need(uint64_t offset_bytes, uint64_t length_bytes) const override {
    // Linux silently truncates a longer hint. The rest would then be read later, out of the sweep's
    // order.
    const uint64_t hint_bytes = read_ahead().longest_hint_bytes;
    for (uint64_t done = 0; done < length_bytes; done += hint_bytes)
      ::posix_fadvise(descriptor_, in_file(offset_bytes + done),
                      static_cast<off_t>(std::min(hint_bytes, length_bytes - done)),
                      POSIX_FADV_WILLNEED);
  }

  ReadAhead read_ahead() const override {
    ReadAhead ahead = read_ahead_.load(std::memory_order_relaxed);
    if (ahead.longest_hint_bytes == 0) {
      // Concurrent threads may each ask the system, and get the same answer.
      ahead = read_ahead_of(stamp_.device);
      // The owner of a borrowed descriptor may have told the system not to read ahead.
      if (opened_.number() < 0) ahead.window_bytes = 0;
      read_ahead_.store(ahead, std::memory_order_relaxed);
    }
    return ahead;
  }

  Result<void> read_pieces(uint64_t offset_bytes,
                           std::span<const std::span<std::byte>> pieces) const override {
    constexpr size_t kMostVectors = 64;
    while (!pieces.empty()) {
      std::array<iovec, kMostVectors> row;
      const size_t count = std::min(pieces.size(), kMostVectors);
      size_t length = 0;
      for (size_t i = 0; i < count; ++i) {
        row[i] = {pieces[i].data(), pieces[i].size()};
        length += pieces[i].size();
      }
      const ssize_t got =
          ::preadv(descriptor_, row.data(), static_cast<int>(count), in_file(offset_bytes));
      if (got < 0 || static_cast<size_t>(got) < length)
        return File::read_pieces(offset_bytes, pieces);
      offset_bytes += length;
      pieces = pieces.subspan(count);
    }
    return {};
  }

  FilePlace place() const override {
    if (!was_asked_.load(std::memory_order_acquire)) {
      // Concurrent threads may each ask the system, and get the same answer.
      const FileStart start = start_on_device(descriptor_, stamp_.number);
      start_.store(start.bytes + begin_bytes_, std::memory_order_relaxed);
      is_known_.store(start.is_known, std::memory_order_relaxed);
      is_memory_.store(lies_in_memory(descriptor_), std::memory_order_relaxed);
      was_asked_.store(true, std::memory_order_release);
    }
    return {stamp_.device, start_.load(std::memory_order_relaxed),
            is_known_.load(std::memory_order_relaxed), is_memory_.load(std::memory_order_relaxed)};
  }

  std::optional<bool> says_rotational() const override {
    return runtime::says_rotational(stamp_.device);
  }

  intptr_t descriptor() const override { return descriptor_; }
  uint64_t descriptor_offset_bytes() const override { return begin_bytes_; }

 private:
  // Read-ahead of other bytes may have put these into a large folio with a bad sector, and Linux
  // reads a folio only as a whole. Without the folio, only the bytes that are wanted are read.
  void drop_cached(uint64_t offset_bytes, uint64_t length_bytes) const {
    constexpr uint64_t kLargestFolioBytes = uint64_t{2} << 20;
    const uint64_t begin = (begin_bytes_ + offset_bytes) / kLargestFolioBytes * kLargestFolioBytes;
    ::posix_fadvise(descriptor_, static_cast<off_t>(begin),
                    static_cast<off_t>(length_bytes + 2 * kLargestFolioBytes), POSIX_FADV_DONTNEED);
  }

  off_t in_file(uint64_t offset_bytes) const {
    return static_cast<off_t>(begin_bytes_ + offset_bytes);
  }

  std::string name_;
  Descriptor opened_;
  int descriptor_;
  uint64_t begin_bytes_;  // where the part begins in the descriptor's file
  std::shared_ptr<const void> keeps_;
  FileStamp stamp_;
  mutable std::atomic<bool> was_asked_ = false;
  mutable std::atomic<uint64_t> start_ = 0;
  mutable std::atomic<bool> is_known_ = false;
  mutable std::atomic<bool> is_memory_ = false;
  mutable std::atomic<ReadAhead> read_ahead_ = ReadAhead{0, 0};  // zeros: not asked yet
};

class PosixOutput final : public OutputFile {
 public:
  PosixOutput(std::string name, Descriptor opened)
      : name_(std::move(name)), opened_(std::move(opened)) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    if (!opened_.is_own()) return call_failed(name_, "write", EBADF);
    while (!bytes.empty()) {
      const ssize_t put = ::write(opened_.number(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return call_failed(name_, "write", errno);
      bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return {};
  }

 private:
  std::string name_;
  Descriptor opened_;
};

FolderEntry::Kind kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return FolderEntry::Kind::file;
  return S_ISDIR(status.st_mode) ? FolderEntry::Kind::folder : FolderEntry::Kind::other;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class PosixFileIo final : public FileIo {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (opened.number() < 0) return call_failed(path, "open", errno);
    struct stat status = {};
    const int os_error = ::fstat(opened.number(), &status) != 0 ? errno : 0;
    if (os_error != 0) return call_failed(path, "open", os_error);
    if (S_ISDIR(status.st_mode)) return call_failed(path, "open", EISDIR);
    if (!S_ISREG(status.st_mode))
      return make_error(SKL_IO, {path, ": expected a file, found a pipe or a device"}, EINVAL);
    // With O_NONBLOCK, some file systems would answer io_uring's reads with EAGAIN.
    ::fcntl(opened.number(), F_SETFL, 0);
    return std::make_unique<PosixFile>(path, std::move(opened), stamp_of(status));
  }

  Result<std::unique_ptr<OutputFile>> create(const std::string& path) const override {
    Descriptor opened(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (opened.number() < 0) return call_failed(path, "create", errno);
    return std::make_unique<PosixOutput>(path, std::move(opened));
  }

  bool is_folder(const std::string& path) const override {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  }

  Result<std::vector<FolderEntry>> list(const std::string& folder) const override {
    const std::unique_ptr<DIR, CloseFolder> opened(::opendir(folder.c_str()));
    if (!opened) return call_failed(folder, "open", errno);
    std::vector<FolderEntry> entries;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(opened.get());
      if (entry == nullptr && errno != 0) return call_failed(folder, "read", errno);
      if (entry == nullptr) return entries;
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status = {};
      if (::fstatat(::dirfd(opened.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;  // the entry was removed in the meantime
        return call_failed(join({folder, "/", name}), "look at", errno);
      }
      entries.push_back({name, kind_of(status), stamp_of(status)});
    }
  }

  Result<FolderEntry> look(const std::string& path) const override {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) return call_failed(path, "look at", errno);
    return FolderEntry{{}, kind_of(status), stamp_of(status)};
  }
};

}  // namespace

std::unexpected<Error> call_failed(const std::string& name, const char* action, int os_error,
                                   uint64_t offset_bytes) {
  const skl_result result = os_error == ENOENT || os_error == ENOTDIR ? SKL_NOT_FOUND
                            : os_error == ENOMEM                      ? SKL_OUT_OF_MEMORY
                                                                      : SKL_IO;
  return make_error(result,
                    {name, ": cannot ", action, ": ", std::generic_category().message(os_error)},
                    os_error, offset_bytes);
}

#ifdef RUSAGE_THREAD
DeviceWait::DeviceWait() {
  const rusage usage = usage_of_thread();
  waits_ = usage.ru_nvcsw;
  blocks_ = usage.ru_inblock;
}

// A thread that was only preempted hasn't waited for a device.
bool DeviceWait::has_happened() const {
  const rusage usage = usage_of_thread();
  return usage.ru_nvcsw > waits_ && usage.ru_inblock > blocks_;
}
#else
DeviceWait::DeviceWait() = default;
bool DeviceWait::has_happened() const {
  return false;
}
#endif

void will_fill([[maybe_unused]] std::span<std::byte> memory) {
#ifdef MADV_HUGEPAGE
  ::madvise(memory.data(), memory.size(), MADV_HUGEPAGE);
#endif
}

void* allocate_aligned(size_t size_bytes, size_t alignment_bytes) {
  return std::aligned_alloc(alignment_bytes, size_bytes);
}

void free_aligned(void* memory) {
  std::free(memory);
}

std::optional<FolderEntry> follow_link(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const FolderEntry entry = {{}, kind_of(status), stamp_of(status)};
  return entry.kind == FolderEntry::Kind::other ? std::nullopt : std::optional(entry);
}

std::unique_ptr<FileIo> make_system_file_io() {
  return std::make_unique<PosixFileIo>();
}

Result<std::unique_ptr<File>> borrow_file(const std::string& name, intptr_t descriptor,
                                          uint64_t offset_bytes, uint64_t length_bytes,
                                          std::shared_ptr<const void> keeps) {
  const int number = static_cast<int>(descriptor);
  struct stat status = {};
  const bool is_open = ::fstat(number, &status) == 0;
  if (!is_open || !S_ISREG(status.st_mode)) {
    const int os_error = is_open ? EINVAL : errno;
    return make_error(SKL_INVALID,
                      {name, ": descriptor: expected that of an open file, found ",
                       std::to_string(number), ": ", std::generic_category().message(os_error)},
                      os_error);
  }
  FileStamp stamp = stamp_of(status);
  if (auto wrong = not_in_file(name, stamp.size_bytes, offset_bytes, length_bytes))
    return std::unexpected(std::move(*wrong));
  stamp.size_bytes = length_bytes;
  return std::make_unique<PosixFile>(name, Descriptor(-1), stamp,
                                     BorrowedPart{number, offset_bytes, std::move(keeps)});
}

}  // namespace seekless::runtime

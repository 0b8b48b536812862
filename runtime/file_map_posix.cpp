#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/event.h"
#include "runtime/file_map.h"

namespace seekless::runtime {
namespace {

// Asking the system takes 0.3 us, as long as the rest of making a lease.
constexpr uint64_t kLookEveryUs = 100'000;

#ifdef __linux__
// This is MADV_POPULATE_READ of Linux 5.14. It fails where touching the memory would raise a
// signal.
constexpr int kPopulateRead = 22;
#endif

std::unexpected<Error> unsupported(const File& file) {
  return make_error(SKL_UNSUPPORTED, {file.name(),
                                      ": cannot map: expected a file on Linux 5.14 or later; call "
                                      "skl_read for its assets"});
}

#ifdef __linux__
size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

// Finds out why the range can't be loaded, by reading it, which fails in the same way.
Error why_not(const File& file, uint64_t offset_bytes, uint64_t length_bytes, int os_error) {
  std::array<std::byte, 16384> piece;
  for (uint64_t done = 0; done < length_bytes; done += piece.size()) {
    const auto part = std::span(piece).first(std::min<uint64_t>(piece.size(), length_bytes - done));
    if (auto read = file.read_at(offset_bytes + done, part); !read) return read.error();
  }
  return call_failed(file.name(), "map", os_error, offset_bytes).error();
}

// The file system can't map files, or a sandbox forbids it. Reading may still work.
bool is_refused(int os_error) {
  return os_error == EINVAL || os_error == ENODEV || os_error == ENOSYS || os_error == EACCES ||
         os_error == EPERM;
}
#endif

}  // namespace

FileMap::Stamp FileMap::stamp_of(const File& file) {
  struct stat status = {};
  if (::fstat(static_cast<int>(file.descriptor()), &status) != 0) return {};
  return {.size_bytes = static_cast<uint64_t>(status.st_size),
          .written_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<FileMap> FileMap::make(const File& file) {
#ifdef __linux__
  const auto descriptor = static_cast<int>(file.descriptor());
  if (descriptor < 0) return unsupported(file);
  const uint64_t begin = file.descriptor_offset_bytes() % page_bytes();
  const uint64_t bytes = begin + file.size_bytes();
  void* memory = MAP_FAILED;
  errno = ENOMEM;
  if (bytes <= SIZE_MAX)
    memory = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_PRIVATE, descriptor,
                    static_cast<off_t>(file.descriptor_offset_bytes() - begin));
  if (memory == MAP_FAILED && is_refused(errno)) return unsupported(file);
  if (memory == MAP_FAILED) return call_failed(file.name(), "map", errno);
  return FileMap(file, static_cast<std::byte*>(memory), static_cast<size_t>(bytes),
                 static_cast<size_t>(begin), stamp_of(file));
#else
  return unsupported(file);
#endif
}

FileMap::FileMap(FileMap&& other) noexcept
    : file_(other.file_),
      memory_(std::exchange(other.memory_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      begin_bytes_(other.begin_bytes_),
      stamp_(other.stamp_) {}

FileMap::~FileMap() {
  if (memory_ != nullptr) ::munmap(memory_, mapped_bytes_);
}

Result<std::span<const std::byte>> FileMap::bring(uint64_t offset_bytes,
                                                  uint64_t length_bytes) const {
#ifdef __linux__
  // If a file was truncated within a page, the rest of that page reads as zeros.
  const uint64_t there_bytes = stamp_of(*file_).size_bytes;
  const uint64_t begin_bytes = file_->descriptor_offset_bytes() + offset_bytes;
  if (begin_bytes > there_bytes || length_bytes > there_bytes - begin_bytes)
    return std::unexpected(read_error(*file_, offset_bytes, length_bytes, 0));
  const size_t from = begin_bytes_ + static_cast<size_t>(offset_bytes);
  const auto length = static_cast<size_t>(length_bytes);
  const size_t before = from % page_bytes();
  if (::madvise(memory_ + from - before, before + length, kPopulateRead) == 0)
    return bytes(offset_bytes, length_bytes);
  if (is_refused(errno)) return unsupported(*file_);
  return std::unexpected(why_not(*file_, offset_bytes, length_bytes, errno));
#else
  return unsupported(*file_);
#endif
}

bool FileMap::has_changed(uint64_t now) const {
  // Another thread may have looked later.
  const uint64_t looked = looked_us_.load(std::memory_order_acquire);
  if (now > looked && now - looked >= kLookEveryUs) {
    if (stamp_of(*file_) != stamp_) has_changed_.store(true, std::memory_order_relaxed);
    looked_us_.store(now, std::memory_order_release);
  }
  return has_changed_.load(std::memory_order_relaxed);
}

}  // namespace seekless::runtime

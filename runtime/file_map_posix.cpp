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

// Asking takes 0.3 us, which is as long as all the rest of a lease.
constexpr uint64_t kLookEveryUs = 100'000;

#ifdef __linux__
// As in linux/mman.h of Linux 5.14: fails where touching the memory would raise a signal.
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

// Tells why the range can't be brought into memory: reading it fails in the same way.
Error why_not(const File& file, uint64_t offset_bytes, uint64_t length_bytes, int os_error) {
  std::array<std::byte, 16384> piece;
  for (uint64_t done = 0; done < length_bytes; done += piece.size()) {
    const auto part = std::span(piece).first(std::min<uint64_t>(piece.size(), length_bytes - done));
    if (auto read = file.read_at(offset_bytes + done, part); !read) return read.error();
  }
  return call_failed(file.name(), "map", os_error, offset_bytes).error();
}
#endif

}  // namespace

Result<FileMap> FileMap::make(const File& file) {
#ifdef __linux__
  const auto descriptor = static_cast<int>(file.descriptor());
  if (descriptor < 0) return unsupported(file);
  const uint64_t begin = file.descriptor_offset_bytes() % page_bytes();
  const uint64_t bytes = begin + file.size_bytes();
  void* memory = MAP_FAILED;
  errno = ENOMEM;
  if (bytes <= SIZE_MAX)
    memory = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_SHARED, descriptor,
                    static_cast<off_t>(file.descriptor_offset_bytes() - begin));
  if (memory == MAP_FAILED) return call_failed(file.name(), "map", errno);
  return FileMap(file, static_cast<std::byte*>(memory), static_cast<size_t>(bytes),
                 static_cast<size_t>(begin));
#else
  return unsupported(file);
#endif
}

FileMap::FileMap(FileMap&& other) noexcept
    : file_(other.file_),
      memory_(std::exchange(other.memory_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      begin_bytes_(other.begin_bytes_) {}

FileMap::~FileMap() {
  if (memory_ != nullptr) ::munmap(memory_, mapped_bytes_);
}

Result<std::span<const std::byte>> FileMap::bring(uint64_t offset_bytes,
                                                  uint64_t length_bytes) const {
#ifdef __linux__
  const uint64_t size_bytes = file_->size_bytes();
  if (offset_bytes > size_bytes || length_bytes > size_bytes - offset_bytes)
    return std::unexpected(read_error(*file_, offset_bytes, length_bytes, 0));
  const size_t from = begin_bytes_ + static_cast<size_t>(offset_bytes);
  const auto length = static_cast<size_t>(length_bytes);
  const size_t before = from % page_bytes();
  if (::madvise(memory_ + from - before, before + length, kPopulateRead) == 0)
    return bytes(offset_bytes, length_bytes);
  if (errno == EINVAL) return unsupported(*file_);
  return std::unexpected(why_not(*file_, offset_bytes, length_bytes, errno));
#else
  return unsupported(*file_);
#endif
}

bool FileMap::is_cut() const {
  const uint64_t now = now_us();
  if (now - looked_us_.load(std::memory_order_relaxed) < kLookEveryUs)
    return was_cut_.load(std::memory_order_relaxed);
  struct stat status = {};
  const bool is_cut = ::fstat(static_cast<int>(file_->descriptor()), &status) != 0 ||
                      static_cast<uint64_t>(status.st_size) <
                          file_->descriptor_offset_bytes() + file_->size_bytes();
  was_cut_.store(is_cut, std::memory_order_relaxed);
  looked_us_.store(now, std::memory_order_relaxed);
  return is_cut;
}

}  // namespace seekless::runtime

#include "packer/place/internal/copied_pieces.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

constexpr size_t kCopiedAtOnce = size_t{4} << 20;

int write_all(int to, std::span<const std::byte> bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(to, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    at += static_cast<uint64_t>(put);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return 0;
}

}  // namespace

int copy_pieces(int from, std::span<const Extent> pieces, int to, uint64_t begin_bytes,
                const std::function<bool()>& goes_on) {
  std::vector<std::byte> buffer(kCopiedAtOnce);
  for (const Extent& piece : pieces)
    for (uint64_t done = 0; done < piece.length_bytes;) {
      stop_if_interrupted();
      if (!goes_on()) return EBUSY;
      const uint64_t at = piece.offset_bytes + done;
      const uint64_t count = std::min<uint64_t>(buffer.size(), piece.length_bytes - done);
      const ssize_t got = ::pread(from, buffer.data(), count, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno;
      if (got == 0) return EBUSY;
      const auto bytes = std::span(buffer).first(static_cast<size_t>(got));
      if (const int failure = write_all(to, bytes, begin_bytes + at)) return failure;
      done += bytes.size();
    }
  return 0;
}

int reserve_pieces(int file, std::span<const Extent> pieces) {
  for (const Extent& piece : pieces) {
    int failure = 0;
    do {
      failure = ::fallocate(file, 0, static_cast<off_t>(piece.offset_bytes),
                            static_cast<off_t>(piece.length_bytes)) == 0
                    ? 0
                    : errno;
      if (failure == EINTR) stop_if_interrupted();
    } while (failure == EINTR);
    if (failure == EOPNOTSUPP || failure == ENOSYS) return 0;
    if (failure != 0) return failure;
  }
  return 0;
}

}  // namespace seekless

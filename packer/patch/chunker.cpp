#include "packer/patch/chunker.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace seekless {
namespace {

constexpr size_t kChunkedAtOnceBytes = size_t{1} << 20;
// A cut needs this many leading zeros in the hash: two more than the bits of the mean while a chunk
// is short, then two fewer.
constexpr uint64_t kStrictMask = ~uint64_t{0} << (64 - 15);
constexpr uint64_t kLooseMask = ~uint64_t{0} << (64 - 11);

// Returns splitmix64 of 0 to 255; any pseudorandom numbers would do.
constexpr std::array<uint64_t, 256> make_gears() {
  std::array<uint64_t, 256> gears = {};
  for (uint64_t i = 0; i < gears.size(); ++i) {
    uint64_t z = (i + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    gears[i] = z ^ (z >> 31);
  }
  return gears;
}
constexpr std::array<uint64_t, 256> kGears = make_gears();

// Returns the length of the chunk that begins here, which is at most all bytes.
size_t find_cut(std::span<const std::byte> bytes, uint64_t& hash) {
  for (size_t length = 1; length <= bytes.size(); ++length) {
    hash = (hash << 1) + kGears[std::to_integer<uint8_t>(bytes[length - 1])];
    if (length < kLeastChunkBytes) continue;
    if ((hash & (length < kMeanChunkBytes ? kStrictMask : kLooseMask)) == 0) return length;
  }
  return bytes.size();
}

}  // namespace

Result<void> for_each_chunk(const ByteSource& file, const VisitChunk& visit) {
  std::vector<std::byte> buffer(kChunkedAtOnceBytes);
  const uint64_t size = file.size_bytes();
  uint64_t hash = 0;
  uint64_t begin = 0;  // start of the chunk in the file
  size_t from = 0;     // start of the chunk in the buffer
  size_t filled = 0;   // end of the data in the buffer
  while (begin < size) {
    const uint64_t unread = size - begin - (filled - from);
    if (filled - from < kMostChunkBytes && unread > 0) {
      std::memmove(buffer.data(), buffer.data() + from, filled - from);
      filled -= from;
      from = 0;
      const size_t more = std::min<uint64_t>(buffer.size() - filled, unread);
      SKL_TRY_DO(file.read_at(begin + filled, std::span(buffer).subspan(filled, more)));
      filled += more;
    }
    const auto rest =
        std::span(buffer).subspan(from, std::min<size_t>(filled - from, kMostChunkBytes));
    const size_t length = find_cut(rest, hash);
    SKL_TRY_DO(visit(begin, rest.first(length)));
    begin += length;
    from += length;
  }
  return {};
}

Result<void> for_each_fixed_chunk(const ByteSource& file, uint32_t size_bytes,
                                  const VisitChunk& visit) {
  std::vector<std::byte> buffer(size_bytes);
  for (uint64_t begin = 0; begin < file.size_bytes(); begin += size_bytes) {
    const auto chunk =
        std::span(buffer).first(std::min<uint64_t>(size_bytes, file.size_bytes() - begin));
    SKL_TRY_DO(file.read_at(begin, chunk));
    SKL_TRY_DO(visit(begin, chunk));
  }
  return {};
}

}  // namespace seekless

#include "packer/page/internal/picture_packs.h"

#include <vector>

namespace seekless {
namespace {

void add_number(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

std::string pack_reads(std::span<const PreparedRead> reads, size_t files) {
  std::string out;
  std::vector<uint64_t> ends_bytes(files);
  PreparedRead before;
  for (const PreparedRead& read : reads) {
    uint64_t& end_bytes = ends_bytes[read.file];
    uint8_t flags = 0;
    if (read.file != before.file) flags |= kOtherFile;
    if (read.thread != before.thread) flags |= kOtherThread;
    if (read.offset_bytes != end_bytes) flags |= kJumps;
    if (read.offset_bytes < end_bytes) flags |= kJumpsBack;
    if (read.length_bytes != before.length_bytes) flags |= kOtherLength;
    if (read.has_duration) flags |= kHasDuration;
    out += static_cast<char>(flags);
    add_number(out, read.start_us - before.start_us);
    if ((flags & kOtherFile) != 0) add_number(out, read.file);
    if ((flags & kOtherThread) != 0) add_number(out, read.thread);
    if ((flags & kJumpsBack) != 0)
      add_number(out, end_bytes - read.offset_bytes);
    else if ((flags & kJumps) != 0)
      add_number(out, read.offset_bytes - end_bytes);
    if ((flags & kOtherLength) != 0) add_number(out, read.length_bytes);
    if ((flags & kHasDuration) != 0) add_number(out, read.duration_us);
    end_bytes = read.offset_bytes + read.length_bytes;
    before = read;
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace seekless

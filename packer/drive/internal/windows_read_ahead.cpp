#include "packer/drive/internal/windows_read_ahead.h"

#include <utility>

namespace seekless {
namespace {

uint64_t whole_granules(uint64_t bytes) {
  constexpr uint64_t kGranule = WindowsReadAhead::kGranuleBytes;
  return (bytes + kGranule - 1) / kGranule * kGranule;
}

PageRange pages_of(uint64_t begin_bytes, uint64_t end_bytes) {
  return {begin_bytes / kPageBytes, (end_bytes + kPageBytes - 1) / kPageBytes};
}

}  // namespace

PageRange WindowsReadAhead::behind_read(WindowsStream& stream, uint64_t offset_bytes,
                                        uint64_t length_bytes) {
  const uint64_t end_bytes = offset_bytes + length_bytes;
  const WindowsStream::Read last = std::exchange(stream.last, {offset_bytes, end_bytes, true});
  const WindowsStream::Read before = std::exchange(stream.before_last, last);
  if (!before.is_known || length_bytes < kLeastReadBytes) return {};
  if (offset_bytes == last.end_bytes && last.begin_bytes == before.end_bytes)
    return pages_of(end_bytes, whole_granules(end_bytes) + whole_granules(length_bytes));
  // Differences modulo 2^64 also agree for backward steps.
  const uint64_t step = offset_bytes - last.begin_bytes;
  if (step == 0 || step != last.begin_bytes - before.begin_bytes) return {};
  const bool is_forward = offset_bytes > last.begin_bytes;
  if (!is_forward && offset_bytes < last.begin_bytes - offset_bytes)
    return {};  // before the file's start
  return pages_of(offset_bytes + step, offset_bytes + step + length_bytes);
}

}  // namespace seekless

#include "packer/drive/linux_read_ahead.h"

#include <algorithm>
#include <bit>

namespace seekless {
namespace {

// A long read may be fetched in windows as long as the device takes in one command: by default
// 1280 KiB (max_sectors_kb).
constexpr uint64_t kDevicePages = uint64_t{1280} * 1024 / kPageBytes;

uint64_t first_size(uint64_t pages_asked, uint64_t max_pages) {
  const uint64_t size = std::bit_ceil(pages_asked);
  if (size <= max_pages / 32) return size * 4;
  if (size <= max_pages / 4) return size * 2;
  return max_pages;
}

uint64_t next_size(uint64_t pages, uint64_t max_pages) {
  if (pages < max_pages / 16) return pages * 4;
  if (pages <= max_pages / 2) return pages * 2;
  return max_pages;
}

LinuxReadAhead::Window window_of(const LinuxStream& stream) {
  const uint64_t end = stream.window_page + stream.window_pages;
  return {{stream.window_page, end}, end - stream.ahead_pages};
}

}  // namespace

uint64_t LinuxReadAhead::most_for(uint64_t pages_asked) const {
  return std::max(max_pages_, std::min(pages_asked, kDevicePages));
}

LinuxReadAhead::Window LinuxReadAhead::on_miss(const PageSet& cached, LinuxStream& stream,
                                               uint64_t page, uint64_t pages_asked) const {
  const uint64_t most = most_for(pages_asked);
  // Before the first read there is no page that is close to it.
  const uint64_t previous_page = stream.previous_end_bytes / kPageBytes;
  const bool goes_on = stream.previous_end_bytes != kNothingRead &&
                       (page == previous_page || page == previous_page + 1);
  if (page == 0 || pages_asked > most || goes_on) {
    stream.window_page = page;
    stream.window_pages = first_size(pages_asked, most);
    stream.ahead_pages = stream.window_pages > pages_asked ? stream.window_pages - pages_asked
                                                           : stream.window_pages / 2;
    return window_of(stream);
  }
  uint64_t history = cached.count_before(page, most);
  if (history <= pages_asked) return {{page, page + pages_asked}, kNoMark};
  if (history == page) history *= 2;  // read in order since the file's start
  stream.window_page = page;
  stream.window_pages = std::min(history + pages_asked, most);
  stream.ahead_pages = 1;
  return window_of(stream);
}

LinuxReadAhead::Window LinuxReadAhead::on_mark(const PageSet& cached, LinuxStream& stream,
                                               uint64_t page, uint64_t pages_asked) const {
  const uint64_t most = most_for(pages_asked);
  if (page == stream.window_page + stream.window_pages - stream.ahead_pages) {
    stream.window_page += stream.window_pages;
    stream.window_pages = next_size(stream.window_pages, most);
  } else {
    // Another open file's mark: go on from where what lies in memory ends, as fast as it has got.
    const uint64_t end = page + 1 + most;
    const uint64_t missing = cached.next_absent(page + 1, end);
    if (missing - page > most) return {};
    stream.window_page = missing;
    stream.window_pages = next_size(missing - page + pages_asked, most);
  }
  stream.ahead_pages = stream.window_pages;
  return window_of(stream);
}

LinuxReadAhead::Window LinuxReadAhead::on_fault(LinuxStream& stream, uint64_t page) const {
  stream.window_page = page - std::min(page, max_pages_ / 2);
  stream.window_pages = max_pages_;
  stream.ahead_pages = max_pages_ / 4;
  return window_of(stream);
}

}  // namespace seekless

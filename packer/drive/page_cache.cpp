// The rules of Linux's read-ahead, told in page_cache.h, in pages. Each rule moves the window of
// the open file; fetch() then reads what of the window isn't in memory.
#include "packer/drive/page_cache.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <fmt/format.h>

namespace seekless {
namespace {

uint64_t pages_for(uint64_t bytes) {
  return bytes / kPageBytes + (bytes % kPageBytes != 0);
}

// Linux's get_init_ra_size and get_next_ra_size: how large a first window is for a read of so many
// pages, and how large the one behind a window is.
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

}  // namespace

PageCache::PageCache(Drive& drive, const ReadAhead& read_ahead)
    : drive_(drive),
      initial_pages_(read_ahead.initial_bytes / kPageBytes),
      max_pages_(read_ahead.max_bytes / kPageBytes),
      looks_back_(read_ahead.looks_back) {}

Result<uint32_t> PageCache::add_file(uint64_t position_bytes, uint64_t size_bytes) {
  if (!drive_.holds(position_bytes, size_bytes))
    return wrong_usage(
        {.place = fmt::format("a file of {} bytes placed at byte {} of the drive", size_bytes,
                              position_bytes),
         .expected = fmt::format("it to end within the drive's {} bytes", drive_.capacity_bytes()),
         .found = "an end behind them",
         .advice = "place it nearer to the start, or take a larger drive"});
  files_.push_back({position_bytes, size_bytes, {}});
  return static_cast<uint32_t>(files_.size() - 1);
}

double PageCache::read(OpenFile& open_file, uint64_t offset_bytes, uint64_t length_bytes) {
  assert(open_file.file_ < files_.size());
  File& file = files_[open_file.file_];
  if (offset_bytes >= file.size_bytes || length_bytes == 0) return 0;
  const uint64_t end_bytes = offset_bytes + std::min(length_bytes, file.size_bytes - offset_bytes);
  const uint64_t end_page = pages_for(end_bytes);
  uint64_t page = offset_bytes / kPageBytes;
  double busy_ms = 0;
  while (page < end_page) {
    const uint64_t missing = file.cached.next_absent(page, end_page);
    const uint64_t mark = open_file.window_page_ + open_file.window_pages_ - open_file.ahead_pages_;
    if (open_file.ahead_pages_ != 0 && page <= mark && mark < missing) {
      busy_ms += fetch(file, on_mark(open_file, end_page - mark));
      page = mark + 1;
    } else if (missing < end_page) {
      busy_ms += fetch(file, on_miss(file, open_file, missing, end_page - missing));
      page = missing;
    } else {
      break;
    }
  }
  open_file.previous_end_bytes_ = end_bytes;
  return busy_ms;
}

PageCache::PageRange PageCache::on_miss(const File& file, OpenFile& at, uint64_t page,
                                        uint64_t pages_asked) const {
  const PageRange asked = {page, page + pages_asked};
  if (max_pages_ == 0) return asked;
  if (page == 0) return begin_window(at, page, pages_asked);
  if (page == at.window_page_ + at.window_pages_) {
    on_mark(at, pages_asked);
    return widen_if_used_up(at, pages_asked);
  }
  if (at.previous_end_bytes_ != kNothingRead) {
    const uint64_t previous_page = at.previous_end_bytes_ / kPageBytes;
    if (page == previous_page || page == previous_page + 1)
      return begin_window(at, page, pages_asked);
  }
  return looks_back_ ? look_back(file, at, asked) : asked;
}

PageCache::PageRange PageCache::on_mark(OpenFile& at, uint64_t pages_asked) const {
  at.window_page_ += at.window_pages_;
  at.window_pages_ = next_size(at.window_pages_, std::max(max_pages_, pages_asked));
  at.ahead_pages_ = at.window_pages_;
  return {at.window_page_, at.window_page_ + at.window_pages_};
}

PageCache::PageRange PageCache::begin_window(OpenFile& at, uint64_t page,
                                             uint64_t pages_asked) const {
  const uint64_t max_pages = std::max(max_pages_, pages_asked);
  at.window_page_ = page;
  at.window_pages_ =
      std::min(std::max(first_size(pages_asked, max_pages), initial_pages_), max_pages);
  at.ahead_pages_ =
      at.window_pages_ > pages_asked ? at.window_pages_ - pages_asked : at.window_pages_;
  return widen_if_used_up(at, pages_asked);
}

PageCache::PageRange PageCache::look_back(const File& file, OpenFile& at, PageRange asked) const {
  const uint64_t pages_asked = asked.end - asked.first;
  uint64_t history = file.cached.count_before(asked.first, max_pages_);
  if (history <= pages_asked) return asked;
  if (history == asked.first) history *= 2;  // read in order since the file's start
  at.window_page_ = asked.first;
  at.window_pages_ = std::min(history + pages_asked, max_pages_);
  at.ahead_pages_ = 1;
  return {at.window_page_, at.window_page_ + at.window_pages_};
}

// A mark on the very page that missed would be hit at once: what it would fetch comes in the same
// go.
PageCache::PageRange PageCache::widen_if_used_up(OpenFile& at, uint64_t pages_asked) const {
  if (at.ahead_pages_ == at.window_pages_) {
    const uint64_t max_pages = std::max(max_pages_, pages_asked);
    const uint64_t more = next_size(at.window_pages_, max_pages);
    const bool fits = at.window_pages_ + more <= max_pages;
    at.ahead_pages_ = fits ? more : max_pages / 2;
    at.window_pages_ = fits ? at.window_pages_ + more : max_pages;
  }
  return {at.window_page_, at.window_page_ + at.window_pages_};
}

double PageCache::fetch(File& file, PageRange wanted) {
  const uint64_t end_page = std::min(wanted.end, pages_for(file.size_bytes));
  double busy_ms = 0;
  uint64_t page = file.cached.next_absent(wanted.first, end_page);
  while (page < end_page) {
    const uint64_t run_end = file.cached.next_present(page, end_page);
    const uint64_t begin_bytes = page * kPageBytes;
    const uint64_t end_bytes = std::min(run_end * kPageBytes, file.size_bytes);
    busy_ms += drive_.read(file.position_bytes + begin_bytes, end_bytes - begin_bytes);
    file.cached.insert(page, run_end);
    page = file.cached.next_absent(run_end, end_page);
  }
  return busy_ms;
}

}  // namespace seekless

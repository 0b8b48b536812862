// Finds which pages of a read aren't in memory, extends them by the system's rules for read-ahead,
// and fetches them.
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

}  // namespace

PageCache::PageCache(Drive& drive, const ReadAhead& read_ahead) : drive_(drive), linux_(1) {
  set_read_ahead(read_ahead);
}

void PageCache::set_read_ahead(const ReadAhead& read_ahead) {
  const bool is_too_short =
      read_ahead.max_bytes < kPageBytes && read_ahead.style == ReadAheadStyle::linux_like;
  style_ = is_too_short ? ReadAheadStyle::none : read_ahead.style;
  linux_ = LinuxReadAhead(std::max<uint64_t>(1, read_ahead.max_bytes / kPageBytes));
}

Result<uint32_t> PageCache::add_file(uint64_t position_bytes, uint64_t size_bytes) {
  if (!drive_.holds(position_bytes, size_bytes))
    return wrong_usage(
        {.place = fmt::format("a file of {} bytes placed at byte {} of the drive", size_bytes,
                              position_bytes),
         .expected = fmt::format("it to end within the drive's {} bytes", drive_.capacity_bytes()),
         .found = "an end past them",
         .advice = "place it nearer to the start, or take a larger drive"});
  const Extent whole = {0, position_bytes, size_bytes};
  return add_file({&whole, 1}, size_bytes);
}

uint32_t PageCache::add_file(std::span<const Extent> pieces, uint64_t size_bytes) {
  files_.push_back({{pieces.begin(), pieces.end()}, size_bytes, {}, {}, {}});
  return static_cast<uint32_t>(files_.size() - 1);
}

void PageCache::forget() {
  for (const auto& [file, pages] : fetched_) {
    files_[file].cached.erase(pages.first, pages.end);
    files_[file].tails.erase(pages.first, pages.end);
    files_[file].marks.erase(pages.first, pages.end);
  }
  fetched_.clear();
}

std::span<const DriveRead> PageCache::misses(CachedFile& open_file, uint64_t offset_bytes,
                                             uint64_t length_bytes) {
  assert(open_file.file_ < files_.size());
  misses_.clear();
  SimulatedFile& file = files_[open_file.file_];
  if (offset_bytes >= file.size_bytes || length_bytes == 0) return {};
  length_bytes = std::min(length_bytes, file.size_bytes - offset_bytes);
  const PageRange wanted = {offset_bytes / kPageBytes, pages_for(offset_bytes + length_bytes)};
  switch (style_) {
    case ReadAheadStyle::none:
      fetch(file, wanted);
      break;
    case ReadAheadStyle::linux_like:
      read_on_linux(file, open_file.linux_, wanted, false);
      open_file.linux_.previous_end_bytes = offset_bytes + length_bytes;
      break;
    case ReadAheadStyle::windows_like:
      fetch(file, wanted);
      fetch(file, WindowsReadAhead::behind_read(open_file.windows_, offset_bytes, length_bytes));
      break;
  }
  return misses_;
}

std::span<const DriveRead> PageCache::faults(CachedFile& open_file, uint64_t offset_bytes,
                                             uint64_t length_bytes) {
  if (style_ == ReadAheadStyle::none) return misses(open_file, offset_bytes, length_bytes);
  misses_.clear();
  SimulatedFile& file = files_[open_file.file_];
  if (offset_bytes >= file.size_bytes || length_bytes == 0) return {};
  length_bytes = std::min(length_bytes, file.size_bytes - offset_bytes);
  const PageRange wanted = {offset_bytes / kPageBytes, pages_for(offset_bytes + length_bytes)};
  if (style_ == ReadAheadStyle::linux_like) {
    read_on_linux(file, open_file.linux_, wanted, true);
    return misses_;
  }
  for (uint64_t page = file.cached.next_absent(wanted.first, wanted.end); page < wanted.end;
       page = file.cached.next_absent(page, wanted.end))
    fetch(file, {page, page + WindowsReadAhead::kFaultPages});
  return misses_;
}

// Goes through the pages in order, as the kernel does, up to the next one that is missing or
// marked.
void PageCache::read_on_linux(SimulatedFile& file, LinuxStream& stream, PageRange wanted,
                              bool is_mapped) {
  uint64_t page = wanted.first;
  while (page < wanted.end) {
    const uint64_t missing = file.cached.next_absent(page, wanted.end);
    const uint64_t marked = file.marks.next(page, missing);
    if (marked < missing) {
      const PageRange folio = file.marks.take(marked);
      const uint64_t from = is_mapped ? marked : folio.first;
      const uint64_t asked = is_mapped ? linux_.max_pages() : wanted.end - from;
      fetch_window(file, linux_.on_mark(file.cached, stream, from, folio, asked));
      page = folio.end;
    } else if (missing < wanted.end) {
      fetch_window(file, is_mapped ? linux_.on_fault(stream, missing)
                                   : linux_.on_miss(file.cached, file.tails, stream, missing,
                                                    wanted.end - missing));
      page = missing;
    } else {
      break;
    }
  }
}

double PageCache::read(CachedFile& open_file, uint64_t offset_bytes, uint64_t length_bytes) {
  double busy_ms = 0;
  for (const DriveRead& miss : misses(open_file, offset_bytes, length_bytes))
    busy_ms += drive_.read(miss.position_bytes, miss.length_bytes);
  return busy_ms;
}

void PageCache::fetch(SimulatedFile& file, PageRange wanted) {
  const uint64_t end_page = std::min(wanted.end, pages_for(file.size_bytes));
  uint64_t page = file.cached.next_absent(wanted.first, end_page);
  while (page < end_page) {
    const uint64_t run_end = file.cached.next_present(page, end_page);
    const uint64_t begin_bytes = page * kPageBytes;
    const uint64_t end_bytes = std::min(run_end * kPageBytes, file.size_bytes);
    for_each_piece(file.pieces, begin_bytes, end_bytes, [&](const Extent& piece, size_t) {
      misses_.push_back({piece.place_bytes, piece.length_bytes});
    });
    file.cached.insert(page, run_end);
    fetched_.emplace_back(static_cast<uint32_t>(&file - files_.data()), PageRange{page, run_end});
    page = file.cached.next_absent(run_end, end_page);
  }
}

void PageCache::fetch_window(SimulatedFile& file, const LinuxReadAhead::ReadAheadWindow& window) {
  if (window.mark != kNoMark)
    lay_folios(file, window, std::min(window.pages.end, pages_for(file.size_bytes)));
  fetch(file, window.pages);
}

// Lays folios from the window's start on, as page_cache_ra_order does. If a folio would include a
// page that is already in memory, the rest comes in single pages; that page keeps its mark.
void PageCache::lay_folios(SimulatedFile& file, const LinuxReadAhead::ReadAheadWindow& window,
                           uint64_t end) {
  const uint64_t present = file.cached.next_present(window.pages.first, end);
  uint64_t page = window.pages.first;
  if (window.order == 0) page = window.mark < present ? window.mark : present;
  while (page < end) {
    uint64_t pages = uint64_t{1} << window.order;
    if (page % pages != 0) pages = uint64_t{1} << std::countr_zero(page);
    while (page + pages > end) pages /= 2;
    if (page + pages > present) break;
    if (page == window.mark / pages * pages) file.marks.insert({page, page + pages});
    if (window.order == 0) return;
    file.tails.insert(page + 1, page + pages);
    page += pages;
  }
  const uint64_t single = end - std::min(end, window.ahead_pages);
  if (page <= single && single < end && !file.cached.contains(single))
    file.marks.insert({single, single + 1});
}

}  // namespace seekless

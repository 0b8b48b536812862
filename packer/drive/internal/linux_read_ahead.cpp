#include "packer/drive/internal/linux_read_ahead.h"

#include <algorithm>
#include <bit>

namespace seekless {
namespace {

// A long read may be fetched in windows as long as the device takes in one command: 1280 KiB by
// default (max_sectors_kb).
constexpr uint64_t kDevicePages = uint64_t{1280} * 1024 / kPageBytes;

// The tree that holds a file's pages has this many places in a node (XA_CHUNK_SIZE).
constexpr uint64_t kNodePages = 64;

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

// The kernel searches a tree for pages that aren't in memory. If the search starts in the middle of
// a folio, the kernel continues from the folio's first place, but with the number of the page in
// the middle. So the number runs ahead of the place, until a node of the tree ends and the next
// place is found by its number.

// Returns the first page, of `most` pages from `page` on, that isn't in memory
// (page_cache_next_miss). If the search starts in a folio's second page, as after a mark, the
// result is one page too high. The window begins there, and the page before it is read separately
// later, in a backward read.
uint64_t next_missing(const PageSet& cached, uint64_t page, uint64_t most, uint64_t into_folio) {
  const uint64_t end = page + most;
  if (into_folio == 0) return cached.next_absent(page, end);
  const uint64_t node_end = (page / kNodePages + 1) * kNodePages;
  const uint64_t missing = cached.next_absent(page, node_end);
  if (missing < node_end) return std::min(end, missing + into_folio);
  return cached.next_absent(std::min(end, node_end + into_folio), end);
}

// Returns how many pages before `page` are in memory, at most `most` (page_cache_prev_miss). It
// counts a large folio as one page.
uint64_t pages_before(const PageSet& cached, const PageSet& tails, uint64_t page, uint64_t most) {
  const uint64_t into_folio = tails.count_before(page, most);
  if (into_folio == 0) return cached.count_before(page, most);
  uint64_t number = page - 1;
  uint64_t place = number - into_folio;
  for (uint64_t looked = 0; looked < most; ++looked, --number) {
    if (!cached.contains(place)) return page - 1 - number;
    if (place % kNodePages != 0) {
      --place;
    } else if ((number - 1) % kNodePages != 0) {
      if (place == 0) return page - number;
      place = place - kNodePages + (number - 1) % kNodePages;
    }
  }
  return most;
}

}  // namespace

// Limits the order so that folios aren't longer than the window.
LinuxReadAhead::ReadAheadWindow LinuxReadAhead::window_of(LinuxStream& stream) {
  const auto most = static_cast<unsigned>(std::bit_width(stream.window_pages) - 1);
  stream.order = std::min({stream.order, most, kLargestFolioOrder});
  const uint64_t end = stream.window_page + stream.window_pages;
  return {{stream.window_page, end}, end - stream.ahead_pages, stream.ahead_pages, stream.order};
}

uint64_t LinuxReadAhead::most_for(uint64_t pages_asked) const {
  return std::max(max_pages_, std::min(pages_asked, kDevicePages));
}

LinuxReadAhead::ReadAheadWindow LinuxReadAhead::on_miss(const PageSet& cached, const PageSet& tails,
                                                        LinuxStream& stream, uint64_t page,
                                                        uint64_t pages_asked) const {
  const uint64_t most = most_for(pages_asked);
  // Before the first read, no page counts as close to it.
  const uint64_t previous_page = stream.previous_end_bytes / kPageBytes;
  const bool goes_on = stream.previous_end_bytes != kNothingRead &&
                       (page == previous_page || page == previous_page + 1);
  if (page == 0 || pages_asked > most || goes_on) {
    stream.window_page = page;
    stream.window_pages = first_size(pages_asked, most);
    stream.ahead_pages = stream.window_pages > pages_asked ? stream.window_pages - pages_asked
                                                           : stream.window_pages / 2;
    stream.order = 0;
    return window_of(stream);
  }
  uint64_t history = pages_before(cached, tails, page, most);
  if (history <= pages_asked) return {.pages = {page, page + pages_asked}};
  if (history == page) history *= 2;  // the file was read in order from its start
  stream.window_page = page;
  stream.window_pages = std::min(history + pages_asked, most);
  stream.ahead_pages = 1;
  stream.order = 0;
  return window_of(stream);
}

LinuxReadAhead::ReadAheadWindow LinuxReadAhead::on_mark(const PageSet& cached, LinuxStream& stream,
                                                        uint64_t page, const PageRange& folio,
                                                        uint64_t pages_asked) const {
  const uint64_t most = most_for(pages_asked);
  const uint64_t folio_pages = folio.end - folio.first;
  const uint64_t mark = stream.window_page + stream.window_pages - stream.ahead_pages;
  if (page == mark / folio_pages * folio_pages) {
    stream.window_page += stream.window_pages;
    stream.window_pages = next_size(stream.window_pages, most);
  } else {
    // The mark belongs to another open file, so this continues where the pages in memory end, with
    // windows of the size reached so far.
    const uint64_t into_folio = page + 1 < folio.end ? page + 1 - folio.first : 0;
    const uint64_t missing = next_missing(cached, page + 1, most, into_folio);
    if (missing - page > most) return {};
    stream.window_page = missing;
    stream.window_pages = next_size(missing - page + pages_asked, most);
  }
  stream.order += 2;
  const uint64_t unit = uint64_t{1} << std::min<unsigned>(stream.order, std::countr_zero(most));
  const uint64_t end = stream.window_page + stream.window_pages;
  if (const uint64_t whole = end / unit * unit; whole > stream.window_page)
    stream.window_pages = whole - stream.window_page;
  stream.ahead_pages = stream.window_pages;
  return window_of(stream);
}

LinuxReadAhead::ReadAheadWindow LinuxReadAhead::on_fault(LinuxStream& stream, uint64_t page) const {
  stream.window_page = page - std::min(page, max_pages_ / 2);
  stream.window_pages = max_pages_;
  stream.ahead_pages = max_pages_ / 4;
  stream.order = 0;
  return window_of(stream);
}

}  // namespace seekless

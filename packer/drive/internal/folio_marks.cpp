#include "packer/drive/internal/folio_marks.h"

#include "packer/drive/internal/linux_read_ahead.h"

namespace seekless {

void FolioMarks::insert(const PageRange& folio) {
  pages_.insert(folio.first, folio.end);
  firsts_.insert(folio.first, folio.first + 1);
}

void FolioMarks::erase(uint64_t first, uint64_t end) {
  pages_.erase(first, end);
  firsts_.erase(first, end);
}

// Rounds `page` down to multiples of larger and larger powers of two. The first multiple that
// begins a marked folio begins the folio of `page`, because no such multiple lies in between.
PageRange FolioMarks::take(uint64_t page) {
  PageRange folio = {page, 0};
  for (uint64_t pages = 1; !firsts_.contains(folio.first); pages *= 2)
    folio.first = page / pages * pages;
  const uint64_t end = pages_.next_absent(page, page + (uint64_t{1} << kLargestFolioOrder));
  folio.end = firsts_.next_present(folio.first + 1, end);
  erase(folio.first, folio.end);
  return folio;
}

}  // namespace seekless

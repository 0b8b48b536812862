// Which folios of one file carry Linux's mark that reading them fetches more: runs of pages that
// are as long as a power of two, and begin at a multiple of it.
#pragma once

#include <cstdint>

#include "packer/drive/internal/page_set.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

class FolioMarks {
 public:
  void insert(const PageRange& folio);
  void erase(uint64_t first, uint64_t end);  // whole folios
  // The first page from `first` on, below `end`, of a folio that carries a mark; else `end`.
  uint64_t next(uint64_t first, uint64_t end) const { return pages_.next_present(first, end); }
  // The marked folio that holds `page` loses its mark.
  PageRange take(uint64_t page);

 private:
  PageSet pages_;   // of all marked folios,
  PageSet firsts_;  // and where each begins
};

}  // namespace seekless

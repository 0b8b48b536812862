// Tracks which folios of one file carry Linux's read-ahead mark: reading a marked folio fetches
// more. A folio is a run of pages whose length is a power of two, and which begins at a multiple of
// that.
#pragma once

#include <cstdint>

#include "packer/drive/internal/page_set.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

class FolioMarks {
 public:
  void insert(const PageRange& folio);
  void erase(uint64_t first, uint64_t end);  // whole folios
  // Returns the first page in [first, end) of a folio with a mark; `end` if there is none.
  uint64_t next(uint64_t first, uint64_t end) const { return pages_.next_present(first, end); }
  // Removes the mark from the folio that holds `page`. Returns the folio.
  PageRange take(uint64_t page);

 private:
  PageSet pages_;   // every page of the marked folios
  PageSet firsts_;  // the first page of each marked folio
};

}  // namespace seekless

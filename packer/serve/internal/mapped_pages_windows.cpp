#include "packer/serve/internal/mapped_pages.h"

namespace seekless {

// Windows pages out file data by use alone, whether it is mapped or not.
bool MappedPages::can_keep() {
  return false;
}

void MappedPages::keep(int, uint64_t, uint64_t) {}

void MappedPages::let_go() {}

}  // namespace seekless

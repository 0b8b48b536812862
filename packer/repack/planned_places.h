// Where entries will lie once archives are rewritten, known before anything is: for predictions.
// From scanned content and an order; no file is read, so what only local headers tell (extra fields
// that the directory doesn't have) is left out, some bytes an entry. Pure.
#pragma once

#include "packer/content/content.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/rewrite_zip.h"
#include "packer/simulate/moved_reads.h"

namespace seekless {

// Archives that nobody reads aren't moved. An entry that is to be deflated is taken to keep its
// length.
MovedContent planned_places(const Content& content, const EntryOrder& order,
                            const RewriteOptions& options);

}  // namespace seekless

// Where entries will lie once archives are rewritten, known before anything is: for predictions.
// From scanned content and an order; no file is read, so what only local headers tell (extra fields
// that the directory doesn't have) is left out, some bytes an entry. Pure.
#pragma once

#include <span>

#include "packer/content/content.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/internal/overlay_site.h"
#include "packer/repack/rewrite_zip.h"
#include "packer/simulate/moved_reads.h"

namespace seekless {

// Archives that nobody reads aren't moved. An entry that is to be deflated is taken to keep its
// length.
MovedContent planned_places(const Content& content, const EntryOrder& order,
                            const RewriteOptions& options);

// Where an overlay's entries lie, in their order, and that it is found after the archive which wins
// over the others. An overlay that lies there already is
// replaced; else one is added. All other entries stay where they are.
MovedContent planned_overlay(const Content& content, const OverlaySite& site,
                             std::span<const OverlayEntry> entries, const RewriteOptions& options);

}  // namespace seekless

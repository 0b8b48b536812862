// Predicts where entries will lie once archives are rewritten. Takes scanned content and an order,
// and reads no file. So it ignores extra fields in local headers only, which take a few bytes for
// each entry. Pure.
#pragma once

#include <span>

#include "packer/content/content.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/internal/overlay_site.h"
#include "packer/repack/rewrite_zip.h"
#include "packer/simulate/moved_reads.h"

namespace seekless {

// Archives that no recording reads aren't moved. An entry that will be deflated is assumed to keep
// its length.
MovedContent planned_places(const Content& content, const EntryOrder& order,
                            const RewriteOptions& options);

// Returns where an overlay's entries will lie, in their order. A game that searches for archives
// finds the overlay after the archive that wins over the others. The overlay replaces an earlier
// one, or is added. All other entries stay where they are.
MovedContent planned_overlay(const Content& content, const OverlaySite& site,
                             std::span<const OverlayEntry> entries, const RewriteOptions& options);

}  // namespace seekless

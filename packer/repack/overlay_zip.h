// Writes an overlay archive: entries of several archives in one new one, whole or not at all, while
// the archives themselves are only read.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "packer/base/error.h"
#include "packer/repack/internal/entry_writer.h"
#include "packer/repack/internal/overlay_entries.h"
#include "packer/repack/internal/overlay_site.h"

namespace seekless {

struct OverlayReport {
  uint64_t file_bytes = 0;
  size_t unpacked_entries = 0;  // that were deflated and are stored now
  size_t packed_entries = 0;    // the other way round
  size_t aligned_entries = 0;
};

// Puts the overlay to its place; `entries` are in the order in which their data are to lie. The
// directory lists them as an engine finds them that looks through the archives from the one that
// wins: so lists of files keep their order. With `verify`, every entry is compared with the one it
// was copied from, through libzip, before that. `done_bytes`, which may be null, grows to
// overlay_bytes(). Errors: damaged for entries that aren't what their directories say; failed for
// what can't be read or written. Then all is as it was.
Result<OverlayReport> write_overlay(const OverlaySite& site, std::span<const OverlayEntry> entries,
                                    const RewriteOptions& options, bool verify,
                                    std::atomic<uint64_t>* done_bytes = nullptr);

uint64_t overlay_bytes(const OverlaySite& site, std::span<const OverlayEntry> entries, bool verify);

}  // namespace seekless

// Writes an overlay archive: entries of several archives in one new archive, whole or not at all.
// The archives themselves are only read.
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
  size_t unpacked_entries = 0;  // entries that were deflated and are stored now
  size_t packed_entries = 0;    // entries that were stored and are deflated now
  size_t aligned_entries = 0;
};

// Writes the overlay and puts it in its place. `entries` are in the order in which their data will
// lie. The directory keeps the order in which an engine finds entries: the winning archive's first,
// then the next archive's. So lists of files keep their order. With `verify`, libzip compares every
// entry with its original before the overlay is put in place. `done_bytes`, which may be null,
// grows to overlay_bytes(). Fails with kind `damaged` for entries that contradict their
// directories, and with kind `failed` if something can't be read or written. After an error,
// everything is as it was.
Result<OverlayReport> write_overlay(const OverlaySite& site, std::span<const OverlayEntry> entries,
                                    const RewriteOptions& options, bool verify,
                                    std::atomic<uint64_t>* done_bytes = nullptr);

uint64_t overlay_bytes(const OverlaySite& site, std::span<const OverlayEntry> entries, bool verify);

}  // namespace seekless

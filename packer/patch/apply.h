// Carries out a patch: makes the new set out of the old one and the patch, beside it or in its
// place.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "packer/host/error.h"

namespace seekless {

struct Applied {
  uint64_t new_id = 0;
  uint64_t files_made = 0;
  uint64_t files_kept = 0;  // that were as they should be already
  uint64_t written_bytes = 0;
};

// Before anything is written, every old file is hashed: another base is refused, naming both ids.
// What is made has the hash that the patch says, or isn't there. Memory: the patch's tables and
// some MiB. `done_bytes` may be null.

// To another folder (a file for a single pack), which then holds the whole new set, or what it held
// before.
Result<Applied> apply_patch(const std::string& old, const std::string& patch,
                            const std::string& output, std::atomic<uint64_t>* done_bytes);

// In place: one changed pack after the other, the catalog last, so it takes the room of the
// largest. Killed at any moment and called again it goes on where it was; in between, readers
// refuse the set.
Result<Applied> apply_in_place(const std::string& old, const std::string& patch,
                               std::atomic<uint64_t>* done_bytes);

}  // namespace seekless

// Applies a patch: makes the new set from the old one and the patch, beside the old set or in its
// place.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "packer/base/error.h"

namespace seekless {

struct Applied {
  uint64_t new_id = 0;
  uint64_t files_made = 0;
  uint64_t files_kept = 0;  // files that were already right
  uint64_t written_bytes = 0;
};

// These refuse another base, and name both ids. A file that is made has the hash that the patch
// says, or isn't there; a file that stays is hashed. So each old file is read once, and damage in
// it is found before anything is replaced. Memory: the patch's tables and some MiB. `done_bytes`
// may be null.

// Writes to another folder (a file for a single pack), which then holds the whole new set, or its
// former content.
Result<Applied> apply_patch(const std::string& old, const std::string& patch,
                            const std::string& output, std::atomic<uint64_t>* done_bytes);

struct InPlaceOptions {
  // Replaces one changed file after the other, the catalog last. A file of which most stays in its
  // place is edited in place, with a journal (packer/pack/file_edit.h); the others are made beside
  // it. So it only needs room for the largest change. All old files are hashed first, because there
  // is no way back. Called again after an interruption, it continues; meanwhile readers refuse the
  // set. A single pack is one file in any case.
  bool is_file_by_file = false;
  // Keeps what is replaced in kOldFolder (packer/pack/set_switch.h), for roll_back_set(). Not
  // possible file by file.
  bool keeps_old = false;
};

// Works in place: all changed files are made beside the old ones, and then the set switches.
// Readers find the whole old set or the whole new one at any moment, even after a kill. It needs
// room for the changed files.
Result<Applied> apply_in_place(const std::string& old, const std::string& patch,
                               const InPlaceOptions& options, std::atomic<uint64_t>* done_bytes);

// Restores the set that the last apply_in_place() replaced, if it was kept, and returns its id. If
// it is killed after it has begun, the next call of any of these functions completes it.
Result<uint64_t> roll_back_set(const std::string& folder);

}  // namespace seekless

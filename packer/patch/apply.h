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

// These functions refuse a patch for another base, and name both ids. A new file has the hash in
// the patch, or doesn't exist; a file that stays is hashed. So each old file is read once, and
// damage in it is found before anything is replaced. Memory: the patch's tables and some MiB.
// `done_bytes` may be null.

// Writes to another folder (for a single pack, a file), which then holds the whole new set, or,
// after an error, its former content.
Result<Applied> apply_patch(const std::string& old, const std::string& patch,
                            const std::string& output, std::atomic<uint64_t>* done_bytes);

struct InPlaceOptions {
  // Replaces one changed file after the other, the catalog last. A file that mostly stays is edited
  // in place, with a journal (packer/pack/file_edit.h); other files are made beside the old ones.
  // So it only needs space for the largest change. All old files are hashed first, because there is
  // no way back. If it is interrupted, call it again to continue; meanwhile readers refuse the set.
  // A single pack is always one file.
  bool is_file_by_file = false;
  // Keeps replaced files in kOldFolder (packer/pack/set_switch.h), for roll_back_set(). Not
  // possible with is_file_by_file.
  bool keeps_old = false;
};

// Works in place: all changed files are made beside the old ones, and then the set switches. At any
// moment readers find the whole old set or the whole new one, even after a kill. It needs space for
// the changed files.
Result<Applied> apply_in_place(const std::string& old, const std::string& patch,
                               const InPlaceOptions& options, std::atomic<uint64_t>* done_bytes);

// Restores the set that the last apply_in_place() replaced, if it was kept, and returns its id. If
// it is killed midway, the next call of any of these functions completes it.
Result<uint64_t> roll_back_set(const std::string& folder);

}  // namespace seekless

// Carries out a patch: makes the new set out of the old one and the patch, beside it or in its
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
  uint64_t files_kept = 0;  // that were as they should be already
  uint64_t written_bytes = 0;
};

// Another base is refused, naming both ids. What is made has the hash that the patch says, or isn't
// there; a file that stays is hashed. So each old file is read once, and damage in it is found
// before anything is replaced. Memory: the patch's tables and some MiB. `done_bytes` may be null.

// To another folder (a file for a single pack), which then holds the whole new set, or what it held
// before.
Result<Applied> apply_patch(const std::string& old, const std::string& patch,
                            const std::string& output, std::atomic<uint64_t>* done_bytes);

struct InPlaceOptions {
  // One changed file after the other, the catalog last. A file of which most stays where it is is
  // edited in its place, with a journal (packer/pack/file_edit.h); the others are made beside it.
  // So room for the largest change will do. All old files are hashed first, as there is no way
  // back. Called again after an interruption, it goes on where it was; in between, readers refuse
  // the set. A single pack is one file in either case.
  bool is_file_by_file = false;
  // What is replaced stays in kOldFolder (packer/pack/set_switch.h), for roll_back_set(). Not file
  // by file.
  bool keeps_old = false;
};

// In place: all changed files are made beside the old ones, and then the set switches. At any
// moment readers find the whole old set or the whole new one, killed or not. It takes the room of
// the changed files.
Result<Applied> apply_in_place(const std::string& old, const std::string& patch,
                               const InPlaceOptions& options, std::atomic<uint64_t>* done_bytes);

// Back to the set that the last apply_in_place() replaced, if it kept that: gives its id. Killed
// at any moment, it is carried through by the next call of any of these, or not begun.
Result<uint64_t> roll_back_set(const std::string& folder);

}  // namespace seekless

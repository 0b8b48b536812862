// Replaces a folder's set by the set in its folder of new files, in one step for readers: the
// catalog moves first, and until packs have moved, readers find them in the folder of new files. If
// a switch has begun, the next program that works there completes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/output/replaced_folder.h"

namespace seekless {

// The folder for replaced files, if they are kept so that the switch can be undone.
inline constexpr const char* kOldFolder = ".seekless-old";

// Returns true if a file with that name, directly in the folder, can belong to a set. A catalog may
// be forged, so no other file is ever removed or replaced.
bool is_pack_file(std::string_view name);
// Returns true if a file with that name may lie in the folder of new files.
bool can_be_staged(std::string_view name);

// Returns the files of the set in `folder`, the catalog last; none if there is no catalog.
Result<std::vector<std::string>> files_of_set(const std::string& folder);

// Switches to the new set. Call this after begin(), when every new file is complete. `stale` are
// the old set's files that the new one lacks. With `keeps_old`, they and the replaced files move to
// kOldFolder, replacing the set there; otherwise they are removed.
Result<void> switch_set(ReplacedFolder& folder, const std::vector<std::string>& stale,
                        bool keeps_old);

// Completes a switch, or the edit of a pack in place, that an earlier run began. Returns false if
// that run hadn't begun a switch; then the folder of new files holds that run's leftovers. The
// staged files are checked first: if they are damaged, this fails with kind `damaged`, and the
// present set isn't changed.
Result<bool> finish_switch(ReplacedFolder& folder);

// Restores the set in kOldFolder after checking every byte of it; this removes the present set.
// Fails with kind `failed` if there is none, and with kind `damaged` if it isn't intact; then
// nothing was changed. Returns the catalog's id.
Result<uint64_t> roll_back(ReplacedFolder& folder);

}  // namespace seekless

// Puts the whole new set that lies in a folder's folder of new files in the place of the old one,
// in one step for readers: the catalog moves first, and readers find packs that haven't moved yet
// where they are. A switch that has begun is carried through by whoever works there next.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/output/replaced_folder.h"

namespace seekless {

// Where what a switch replaces may stay, so that it can be undone.
inline constexpr const char* kOldFolder = ".seekless-old";

// A file that can be a set's: right in the folder. A catalog may be forged, so nothing else is ever
// removed or replaced.
bool is_pack_file(std::string_view name);
// What may lie in the folder of new files.
bool can_be_staged(std::string_view name);

// The files of the set in `folder`, the catalog last; none if there is no catalog.
Result<std::vector<std::string>> files_of_set(const std::string& folder);

// After begin(), when every new file is whole. `stale` are the old set's files that the new one
// hasn't. With `keeps_old`, they and those that are replaced go to kOldFolder, where nothing
// remains of an earlier set; else they are removed.
Result<void> switch_set(ReplacedFolder& folder, const std::vector<std::string>& stale,
                        bool keeps_old);

// Carries through what an earlier run began: a switch, or the edit of a pack in its place. False if
// no switch was begun; then what is left is in the folder of new files. What lies ready is looked
// at first: if it is damaged, so is the answer, and the set that is there stays as it is.
Result<bool> finish_switch(ReplacedFolder& folder);

// Brings back the set in kOldFolder, once every byte of it is known to be right; the one that is
// there is gone then. Errors: failed if there is none, damaged if it isn't whole any more; then
// nothing was done. Gives the id of the catalog.
Result<uint64_t> roll_back(ReplacedFolder& folder);

}  // namespace seekless

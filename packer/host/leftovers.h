// Finds and removes the half-written temporary files of PendingFile that a killed program left.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/fence.h"

namespace seekless {

// Returns a name with random digits that no other file has: ".seekless-0123456789abcdef.tmp".
Result<std::string> new_temporary_name();
// Returns true if the name looks like one of ours, or of earlier versions (".seekless-12-0.tmp").
bool is_temporary_name(std::string_view name);

// A writer keeps its temporary file locked. The lock ends with the writer, however it ends. Process
// numbers wouldn't be enough: several containers or machines may work in one folder, and each has
// its own numbers.
//
// Locks a file that was just created. Returns false if another process is removing it, or has
// removed it: then the caller must create another one.
bool keep_from_clearing(int descriptor, const OpenFolder& folder, const std::string& name) noexcept;
// Removes the temporary files directly in `folder`, except those that a running writer has locked.
// If the file system can't lock, the files stay. A missing folder is no error.
Result<void> remove_leftovers(const std::string& folder);

}  // namespace seekless

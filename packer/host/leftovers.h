// Finds and removes half-written files that a killed program left: PendingFile's, under their
// temporary names.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/fence.h"

namespace seekless {

// Returns a name that no other file has: ".seekless-0123456789abcdef.tmp", of random digits.
Result<std::string> new_temporary_name();
// Returns true if it can be such a name, or one of earlier versions (".seekless-12-0.tmp").
bool is_temporary_name(std::string_view name);

// The writer of a temporary file keeps it locked while it is open; the lock ends with the writer,
// however it ends. A process's number would tell nothing if several containers or machines work in
// one folder, because each has its own numbers.
//
// Locks a file that was just created. Returns false if another process is removing it, or has
// removed it: then the caller must create another one.
bool keep_from_clearing(int descriptor, const OpenFolder& folder, const std::string& name) noexcept;
// Removes the temporary files directly in `folder` that no running writer has locked. If the file
// system can't lock, they stay. A missing folder is no error.
Result<void> remove_leftovers(const std::string& folder);

}  // namespace seekless

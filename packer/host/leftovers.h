// Half-written files that a killed program left: PendingFile's, under their temporary names.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/fence.h"

namespace seekless {

// A name that no other file has: ".seekless-0123456789abcdef.tmp", of random digits.
Result<std::string> new_temporary_name();
// Whether it can be one of these, or of those that earlier versions made (".seekless-12-0.tmp").
bool is_temporary_name(std::string_view name);

// Whoever writes a temporary file has it locked for as long as it is open; the lock ends with the
// writer, in whatever way it ends. A process's number would tell nothing where several containers
// or machines work in one folder: each has its own numbers.
//
// Locks the file that was just made; false if somebody is clearing it away, or has: then another
// one has to be made.
bool keep_from_clearing(int descriptor, const OpenFolder& folder, const std::string& name) noexcept;
// Removes those right in `folder` that no running writer has locked. Where the file system can't
// lock, they stay. No error if there is no such folder.
Result<void> remove_leftovers(const std::string& folder);

}  // namespace seekless

// Measures what changes between two pack sets, on their files, for the clients of clients.h: which
// files are touched, and how many of their bytes the old set lacks.
#pragma once

#include "packer/base/error.h"
#include "packer/patch/set_files.h"
#include "packer/update/clients.h"

namespace seekless {

// Reads both sets completely, except files that are the same in both. Needs 16 bytes of memory for
// each chunk of 8 KiB. New content in several files counts for the first of them.
Result<SetChange> measure_change(const SetFiles& old, const SetFiles& now);

}  // namespace seekless

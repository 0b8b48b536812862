// What the operating system tells of its cache of files, and what it can be asked for.
#pragma once

#include <cstdint>
#include <optional>

#include "packer/base/error.h"

namespace seekless {

// Of an open file: whether the system tells this user which of it are in memory.
bool tells_cached(int descriptor);
// How many bytes of a piece, which begins at a page, are in memory; nothing if the system doesn't
// say.
std::optional<uint64_t> cached_bytes(int descriptor, uint64_t offset_bytes, uint64_t length_bytes);
// Whether all of a piece is; false where the system doesn't say.
bool is_cached(int descriptor, uint64_t offset_bytes, uint64_t length_bytes);

// Asks the system to read a piece of an open file, and doesn't wait.
void read_ahead(int descriptor, uint64_t offset_bytes, uint64_t length_bytes);

// This process's reads give way to everyone else's (Linux: the idle class; obeyed by the BFQ
// scheduler, ignored by others. Windows: low priority).
Result<void> read_when_idle();

// Of the machine, for all that runs, or what this process's control groups allow, if that is less;
// 0 if the system doesn't tell.
uint64_t memory_bytes();

}  // namespace seekless

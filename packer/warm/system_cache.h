// Asks the operating system which pages are cached, and to cache or drop pages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Returns true if the system tells this user which parts of the open file are cached.
bool tells_cached(int descriptor);
// Returns for each page of a piece, which begins at a page, whether it is cached; nothing if the
// system doesn't tell.
std::optional<std::vector<bool>> cached_pages(int descriptor, uint64_t offset_bytes,
                                              uint64_t length_bytes);
// Returns how many bytes of a piece, which begins at a page, are cached; nothing if the system
// doesn't tell.
std::optional<uint64_t> cached_bytes(int descriptor, uint64_t offset_bytes, uint64_t length_bytes);
// Returns true if all of a piece is cached; false if the system doesn't tell.
bool is_cached(int descriptor, uint64_t offset_bytes, uint64_t length_bytes);

// Asks the system to drop an open file's cached pages, except dirty and mapped ones. Returns false
// if the system has no call for this.
bool drop_cached(int descriptor);

// Returns whether the system reads ahead in an open file by itself, beside sequential reads of
// `read_bytes`, with commands of that length.
bool reads_ahead_itself(int descriptor, uint64_t read_bytes);
// Asks the system to read a piece of an open file, and doesn't wait.
void read_ahead(int descriptor, uint64_t offset_bytes, uint64_t length_bytes);

// Makes this process's reads give way to all others (Linux: the idle class, which the BFQ scheduler
// obeys and others ignore; Windows: low priority).
Result<void> read_when_idle();

}  // namespace seekless

// Reads bytes that the system has in its cache, on the caller's thread. Handing such a read to
// another thread takes longer than the read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/file_io.h"

namespace seekless::runtime {

// Fills `into` if all its bytes are in the system's cache. Otherwise returns false. Nothing but the
// system's own read-ahead asks the device for anything: a head must not be sent anywhere out of
// turn. Linux from 6.5 on tells what its cache holds, and newer ones only if the user owns the file
// or may write to it. Other systems don't tell, and Android's filter ends a process that asks; the
// answer is false there.
bool read_cached(const File& file, uint64_t offset_bytes, std::span<std::byte> into);

}  // namespace seekless::runtime

// Cuts files into chunks at places that the content decides, so that moved data is cut as before.
// The algorithm is FastCDC (Xia et al., "FastCDC: a Fast and Efficient Content-Defined Chunking
// Approach for Data Deduplication", USENIX ATC 2016): a gear hash over the last 64 bytes,
// normalised by two masks. The hash continues from chunk to chunk, so a cut depends only on the
// bytes near it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

inline constexpr uint32_t kLeastChunkBytes = 2 * 1024;
inline constexpr uint32_t kMeanChunkBytes = 8 * 1024;
inline constexpr uint32_t kMostChunkBytes = 64 * 1024;

// Calls `visit` with each chunk of the file and its offset; the chunks cover the whole file.
using VisitChunk = std::function<Result<void>(uint64_t, std::span<const std::byte>)>;
Result<void> for_each_chunk(const ByteSource& file, const VisitChunk& visit);

// Does the same with cuts at multiples of `size_bytes`, which is at most 16 MiB.
Result<void> for_each_fixed_chunk(const ByteSource& file, uint32_t size_bytes,
                                  const VisitChunk& visit);

}  // namespace seekless

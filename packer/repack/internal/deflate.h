// Deflates content for zip archives with fixed settings, so that the same content gives the same
// bytes on every machine.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/asset_reader.h"

namespace seekless {

// Deflates the whole content in one call.
std::vector<std::byte> deflate_whole(std::span<const std::byte> content);

// Deflates piece by piece, with less than 1 MiB of memory; `take` gets the deflated bytes.
Result<void> deflate_stream(AssetStream& content,
                            const std::function<Result<void>(std::span<const std::byte>)>& take);

}  // namespace seekless

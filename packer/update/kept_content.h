// What edited assets keep of the bytes that they had: read from the packs of the release before, as
// long as they lie where a build put them, and from today's content.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/keep/lock.h"
#include "packer/update/patch_forecast.h"

namespace seekless {

// `folder` has the packs of `old`, or others, or isn't there: what isn't found as `old` has it
// keeps nothing, and that is no error. Reads edited assets, old and new, each once for each of
// two passes; of all together at most 1 GiB, and of an archive's entries those of up to 32 MiB.
// Errors: content that can't be read.
Result<KeptContent> find_kept(const LayoutLock& old, const std::string& folder,
                              const HashedContent& hashed, std::span<const Source> sources);

}  // namespace seekless

// Finds how much of their former bytes edited assets keep. It reads the old assets from the former
// release's packs, if these are still where a build put them, and the new ones from today's
// content.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/keep/lock.h"
#include "packer/update/patch_forecast.h"

namespace seekless {

// `folder` may hold the packs of `old`, or others, or not exist: content that doesn't match `old`
// counts as keeping nothing, which isn't an error. Reads edited assets, old and new, twice: at most
// 1 GiB altogether, and only those archive entries that have up to 32 MiB. Fails if content can't
// be read.
Result<KeptContent> find_kept(const LayoutLock& old, const std::string& folder,
                              const HashedContent& hashed, std::span<const Source> sources);

}  // namespace seekless

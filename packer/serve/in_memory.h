// Whether a game could gain anything from being served: what is in memory already needs no disk.
#pragma once

#include <string>

#include "packer/foresee/learned.h"

namespace seekless {

// Whether all that the known scenarios are likely to read is in memory; where none is known,
// whether all of the folder is. Of more than a thousand files a thousand are asked for, from all
// over. False where the system doesn't tell.
bool is_in_memory(const std::string& folder, const Learned& learned);

}  // namespace seekless

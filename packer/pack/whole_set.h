// Opens pack sets for work during which they may be replaced.
#pragma once

#include <memory>
#include <string>

#include "packer/base/error.h"
#include "runtime/pack_set.h"

namespace seekless {

// Opens the set with all its packs at once, so that a build or patch that replaces the set later
// doesn't change what is read. A missing or damaged pack only becomes an error when it is used.
Result<std::unique_ptr<runtime::PackSet>> open_whole_set(const runtime::FileIo& io,
                                                         const std::string& path);

}  // namespace seekless

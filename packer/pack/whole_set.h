// Pack sets for work that takes longer than it takes to replace them.
#pragma once

#include <memory>
#include <string>

#include "packer/base/error.h"
#include "runtime/pack_set.h"

namespace seekless {

// Opens the set with all its packs at once: a build or a patch that puts another set in its place
// from then on changes nothing of what is read. A pack that is missing or damaged is no error here,
// but of whoever asks for it.
Result<std::unique_ptr<runtime::PackSet>> open_whole_set(const runtime::FileIo& io,
                                                         const std::string& path);

}  // namespace seekless

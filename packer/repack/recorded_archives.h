// Whether recordings were made before or after archives were repacked in place: reads name places,
// and those of the originals are others than those of the new archives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/profile/trace_reader.h"

namespace seekless {

// Whether the reader's traces name places in the originals that `before` has. `originals`: of
// archives that are kept, by the paths of those that replaced them. Error: traces of both kinds, or
// reads that fit neither or both.
Result<bool> are_of_originals(TraceReader& reader, const Content& now, const Content& before,
                              const std::map<std::string, std::string>& originals);

}  // namespace seekless

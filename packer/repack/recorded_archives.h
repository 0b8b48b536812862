// Tells whether recordings were made before or after archives were repacked in place. Reads contain
// offsets, and those differ between the originals and the new archives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/profile/trace_reader.h"

namespace seekless {

// Returns true if the reader's traces contain offsets in the originals, which `before` describes.
// `originals` maps the paths of the archives that replaced them to the kept originals. Errors:
// traces of both kinds, or reads that fit neither or both.
Result<bool> are_of_originals(TraceReader& reader, const Content& now, const Content& before,
                              const std::map<std::string, std::string>& originals);

}  // namespace seekless

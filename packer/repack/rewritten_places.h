// Finds where the entries of archives lie after the archives were rewritten. Takes the content
// before and after, both scanned; returns new places for recorded reads. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/content/content.h"
#include "packer/simulate/moved_reads.h"

namespace seekless {

// `now_of` maps each source of `before` to the source of `after` that was made from it, or to
// kSameFile if none was. Entries are matched by name; those with the same name, by their order in
// the directory. An archive with an entry that has no counterpart counts as not moved.
MovedContent rewritten_places(const Content& before, const Content& after,
                              const std::vector<uint32_t>& now_of);

}  // namespace seekless

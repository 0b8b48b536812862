// The content's archives written anew, in the order their entries are read: the other output of a
// build, for games whose engines read zips.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/build/build_file.h"
#include "packer/build/build_state.h"
#include "packer/host/error.h"
#include "packer/layout/planner.h"
#include "packer/profile/profile.h"
#include "packer/repack/archive_set.h"

namespace seekless {

// How the content is scanned to be repacked: each archive by itself.
Result<Content> scan_archives(const BuildFile& file);

// Writes them to the folder of the build file's zips, all or none.
Result<std::vector<RepackedArchive>> write_zips(const BuildFile& file, const Content& content,
                                                const Profile& profile, const PlanOptions& plan);

// Stamps of all files in the folder of the zips, to see whether they are touched; empty if there is
// none.
Result<std::vector<KnownOutput>> stamp_zips(const BuildFile& file);

}  // namespace seekless

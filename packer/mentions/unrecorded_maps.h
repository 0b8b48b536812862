// Finds maps that nobody recorded, and predicts what they will read. It finds a map by its own
// files, which have the same places and names as those of recorded maps. It expects mentioned files
// to be read as often as in recordings. The input is what recordings read, and the bytes of files;
// the planner may add the result to the maps' sweeps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/profile/profile.h"

namespace seekless {

struct MentionedAssets {
  std::string scenario;
  std::vector<uint32_t> assets;  // in the content, ascending

  bool operator==(const MentionedAssets&) const = default;
};

struct UnrecordedMaps {
  std::vector<MentionedAssets> maps;  // sorted by name
  // Holds, for each recorded map, the prediction made from the other maps' recordings.
  std::vector<MentionedAssets> left_out;
  std::vector<std::string> warnings;  // about files that can't be read, and maps that were left out

  bool operator==(const UnrecordedMaps&) const = default;
};

// Returns the bytes of an asset. Several threads call it.
using ReadAsset = std::function<Result<std::string>(uint32_t asset)>;

// Returns nothing if fewer than three maps were recorded, or if their own files don't show which
// other maps exist. An asset that is read with probability p is included if p * `ask_bytes` is at
// least (1 - p) of its bytes; `ask_bytes` is the number of bytes that a drive reads in the time of
// a request for an asset. A file that can't be read mentions nothing. Takes up to 64 MB on each
// thread for the file being read, and 256 MB for texts with definitions; reads at most 4 GB besides
// these. Returns at most a thousand maps.
UnrecordedMaps find_unrecorded_maps(const Profile& profile, const Content& content,
                                    uint64_t ask_bytes, const ReadAsset& read, size_t threads);

// Does the same, for a drive, with content read from its sources. Returns nothing for an SSD, where
// asking costs no more than sweeping. `threads` 0 means one for each core.
UnrecordedMaps read_unrecorded_maps(const Profile& profile, const Content& content,
                                    const DriveProfile& drive, size_t threads);

}  // namespace seekless

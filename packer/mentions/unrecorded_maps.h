// Maps that nobody recorded, and what they will read: their own files lie and are called as those
// of recorded maps do, and what files mention is read as it was in recordings. Takes what
// recordings read, and files' bytes; gives what the planner lets their sweeps bring.
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
  std::vector<uint32_t> assets;  // of the content, rising

  bool operator==(const MentionedAssets&) const = default;
};

struct UnrecordedMaps {
  std::vector<MentionedAssets> maps;  // by name
  // Recorded maps, as if each hadn't been: what others' recordings tell of it.
  std::vector<MentionedAssets> left_out;
  std::vector<std::string> warnings;  // of what can't be read, and of maps that are left out

  bool operator==(const UnrecordedMaps&) const = default;
};

// The bytes of an asset. Called by several threads.
using ReadAsset = std::function<Result<std::string>(uint32_t asset)>;

// None where fewer than three maps were recorded, or where their own files don't tell which others
// there are. An asset that is read with chance p is taken along if p * `ask_bytes`, what a drive
// reads while it would be asked for, is worth (1 - p) of its bytes. A file that can't be read
// mentions nothing. Takes 64 MB for the file that is being read on each thread, and 256 MB for
// texts with definitions; reads no more than 4 GB besides these. A thousand maps at the most.
UnrecordedMaps find_unrecorded_maps(const Profile& profile, const Content& content,
                                    uint64_t ask_bytes, const ReadAsset& read, size_t threads);

// The same of content that lies where it says, for a drive; none for solid state, where asking
// costs no more than sweeping. `threads` 0: as many as there are cores.
UnrecordedMaps read_unrecorded_maps(const Profile& profile, const Content& content,
                                    const DriveProfile& drive, size_t threads);

}  // namespace seekless

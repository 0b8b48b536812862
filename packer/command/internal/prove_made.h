// Makes what 'prove' measures beside the content as it lies: packs, archives in load order, or
// copies of files next to each other. It lies in a temporary folder on the same disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/command/internal/inputs.h"
#include "packer/content/content.h"
#include "packer/drive/profile.h"
#include "packer/host/device_activity.h"
#include "packer/profile/profile.h"
#include "packer/prove/prediction.h"
#include "packer/prove/work_folder.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/moved_reads.h"

namespace seekless {

// Holds what is known before anything is measured.
struct ProveSubject {
  std::vector<std::string> roots;
  Content content;
  Profile profile;
  std::unique_ptr<KeptRuns> runs;
  ReadSources read;
  uint64_t device = 0;  // number of the file system's device
  std::optional<HostDevice> host;
};

struct MadeForProof {
  std::unique_ptr<WorkFolder> work;  // none if the packs existed
  std::string packs;                 // the set's folder; empty if there are no packs
  // Without packs, the files that a game would read instead of those of ReadSources::paths, and
  // where the entries of archives lie in them.
  std::vector<std::string> paths = {};
  MovedContent moved = {};
  uint64_t bytes = 0;
  std::vector<std::string> remarks = {};  // sentences
};

// `parent` is the folder in which the temporary one is made.
Result<MadeForProof> make_packs(const ProveSubject& subject, const std::string& parent,
                                const DriveProfile& drive);
// The content must be scanned with repack_scan_options().
Result<MadeForProof> make_archives(const ProveSubject& subject, const std::string& parent,
                                   const DriveProfile& drive);
// Copies the files that 'place' would move, and places the copies. The content must be scanned as
// whole files. Only on Linux.
Result<MadeForProof> make_placed_files(const ProveSubject& subject, const std::string& parent,
                                       const DriveProfile& drive);

// Returns the room that is asked for, so that the disk isn't left full.
uint64_t room_to_make(uint64_t written_bytes);

}  // namespace seekless

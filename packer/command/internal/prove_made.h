// Makes the files that 'prove' compares with the content: packs, archives in load order, or copies
// of files next to each other. They lie in a temporary folder on the same disk.
#pragma once

#include <chrono>
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

// Holds the content, the loads and the drive, all known before anything is measured.
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
  // Without packs: the files that replace ReadSources::paths, and where archive entries lie in
  // them.
  std::vector<std::string> paths = {};
  MovedContent moved = {};
  uint64_t bytes = 0;
  std::vector<std::string> remarks = {};  // sentences
};

struct MakingTerms {
  std::string parent;  // the folder in which the temporary one is made
  DriveProfile drive;
  std::chrono::steady_clock::time_point deadline;
};

struct PlannedWork {
  uint64_t written_bytes = 0;  // in total; as many bytes are read before
  uint64_t room_bytes = 0;
  std::vector<std::string> files;  // relative to the temporary folder
};

// Makes the temporary folder. Fails if the work would take too long or needs too much space; the
// error says how much is missing.
Result<std::unique_ptr<WorkFolder>> folder_to_make_in(const MakingTerms& terms,
                                                      const PlannedWork& work);

Result<MadeForProof> make_packs(const ProveSubject& subject, const MakingTerms& terms);
// The content must be scanned with repack_scan_options().
Result<MadeForProof> make_archives(const ProveSubject& subject, const MakingTerms& terms);
// Copies the files that 'place' would move, and places the copies. The content must be scanned as
// whole files. Only on Linux.
Result<MadeForProof> make_placed_files(const ProveSubject& subject, const MakingTerms& terms);

}  // namespace seekless

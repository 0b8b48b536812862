// Collects everything that a build reads, with its stamps: the content and the recordings. They are
// examined before the build decides anything, and again before it replaces any output. So outputs
// are made only from inputs that didn't change meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/host/file_stamp.h"
#include "packer/project/build.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/asset_hashes.h"
#include "packer/project/internal/build_state.h"
#include "packer/project/internal/input_files.h"

namespace seekless {

struct TraceFile {
  std::string path;
  ChangeStamp stamp;

  bool operator==(const TraceFile&) const = default;
};

struct BuildInputs {
  uint64_t settings = 0;    // fingerprint of the build file and of the program
  uint64_t lock_print = 0;  // fingerprint of the lock's text; 0 if there is none
  InputFiles files;
  // For each of the files: whether the last build saw that it is no archive. Empty if nothing is
  // known.
  std::vector<bool> is_known_plain;
  std::vector<TraceFile> traces;

  // scan_inputs sets the members below.
  int64_t reading_ns = 0;  // time at which reading of the inputs began
  Content content;
  std::vector<uint32_t> file_of_source;  // index in `files`
};

// Finds the inputs and their stamps. The only file that it opens is the lock.
Result<BuildInputs> look_at_inputs(const BuildFile& file, const BuildOptions& options);

// Reads the directories of archives, and opens other files only if the last build doesn't know
// whether they are archives. If a file was written a moment ago, it first waits until a later write
// would change the stamp.
Result<void> scan_inputs(const BuildFile& file, BuildInputs& inputs);

// Returns an error that names the first input that has changed since it was looked at. The second
// overload compares with the files of the next state, where take_inputs has moved them.
Result<void> check_inputs(const BuildFile& file, const BuildInputs& inputs);
Result<void> check_inputs(const BuildFile& file, const std::vector<TraceFile>& traces,
                          const std::vector<KnownFile>& files);
std::unexpected<Error> changed_meanwhile(const std::string& what);

std::vector<std::string> paths_of(const std::vector<TraceFile>& traces);

// Hashes the text of a file; 0 if there is none.
Result<uint64_t> fingerprint_of_file(const std::string& path);
// Hashes everything that the profile depends on.
uint64_t fingerprint_of_profile(const BuildInputs& inputs);
// Returns true if a later write to a recording would show.
bool are_traces_settled(const BuildInputs& inputs);
// Hashes everything that the zips depend on; `archives` is the content that scan_archives returned.
uint64_t fingerprint_of_zips(const BuildInputs& inputs, const Content& archives);

// Collects what the next build needs to know.
struct NextState {
  BuildState state;
  std::vector<HashOrigin> origins;  // indexed like the assets of the state
};

// Moves the files, the content and its hashes into the next state, because packing needs the
// memory. `inputs` keeps the paths and the traces. `sources` are those of the content.
NextState take_inputs(BuildInputs& inputs, const std::vector<Source>& sources, AssetHashes hashes);
// Drops assets whose bytes weren't read; call it at the end.
void drop_unread(NextState& next);

}  // namespace seekless

// Measures each load on the content and from the packs, in turn, round after round. Also watches
// what other programs do on the disk.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/device_activity.h"
#include "packer/host/direct_file.h"
#include "packer/prove/prediction.h"
#include "packer/prove/proof.h"

namespace seekless {

// Sends the head to about the same place before each load. The place changes a little each time,
// because the drive's cache may hold the last one.
class HeadParking {
 public:
  // Chooses the middle of the device if this user may read it, or else the end of the largest file.
  // If neither can be read, the head isn't moved.
  static HeadParking find(const std::optional<HostDevice>& device, const ProvenFiles& files);

  uint64_t place_bytes() const { return place_bytes_; }  // position on the drive
  void park();

 private:
  std::unique_ptr<DirectFile> file_;
  uint64_t offset_bytes_ = 0;
  uint64_t place_bytes_ = 0;
  uint64_t times_ = 0;
};

struct RoundsToMake {
  const ProvenFiles& content;
  const std::string& packs;  // the set's folder; empty if LoadToProve::events_after are read
  const ProvenFiles& files_after;
  const std::vector<LoadToProve>& loads;                        // as many as Proof::loads
  const std::vector<std::vector<FetchedRange>>& fetched_after;  // indexed by load
  const std::optional<HostDevice>& device;
  uint32_t rounds = 3;
  std::chrono::steady_clock::time_point deadline;  // no load begins after it
  std::function<void(uint32_t round, size_t load)> on_load;
};

// Adds the measured seconds to `proof.loads`, whose sides hold the predictions, and other programs'
// use of the disk to `proof`. Loads that weren't measured in time are removed, and a warning names
// their number. Reads with direct I/O if these files can't be dropped from the page cache. If an
// error ends the rounds early, but after at least one complete round, returns that error; then only
// complete rounds count.
Result<std::optional<Error>> make_rounds(const RoundsToMake& work, HeadParking& parking,
                                         Proof& proof);

}  // namespace seekless

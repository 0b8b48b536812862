// Measures each load on the content and from the packs, in turn, round after round. Watches what
// others do on the disk meanwhile.
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

// Sends the head to about the same place before each load. Never the very same, which the drive's
// cache may hold.
class HeadParking {
 public:
  // Takes the middle of the device if this user may read it, or else the end of the largest file.
  // Without either, the head stays where it is.
  static HeadParking find(const std::optional<HostDevice>& device, const ProvenFiles& files);

  uint64_t place_bytes() const { return place_bytes_; }  // on the drive
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
  const std::vector<std::vector<FetchedRange>>& fetched_after;  // of each load
  const std::optional<HostDevice>& device;
  uint32_t rounds = 3;
  std::chrono::steady_clock::time_point deadline;  // no load begins after it
  std::function<void(uint32_t round, size_t load)> on_load;
};

// Adds the measured seconds to `proof.loads`, whose sides hold the predictions, and what was seen
// meanwhile. Loads that weren't measured in time are removed, and a warning names their number.
// Reads past the system's cache if its memory can't be cleared of these files. Returns the error
// that ended the rounds early, if whole ones were made before; only those count then.
Result<std::optional<Error>> make_rounds(const RoundsToMake& work, HeadParking& parking,
                                         Proof& proof);

}  // namespace seekless

// Chooses free clusters of a volume for files that will be moved. NTFS can't reserve clusters, so
// they are only noted here, and other programs may take them meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "packer/place/internal/ntfs_volume.h"

namespace seekless {

class FreeClusters {
 public:
  // Reads the volume's bitmap. Leaves out the zone that NTFS keeps for its table of files: if files
  // lay there, the table would become fragmented. Returns the error if the volume doesn't tell.
  static NtfsResult<FreeClusters> read(NtfsVolume& volume, const NtfsLayout& layout);

  // Takes as many clusters: the first hole that has room for all of them, otherwise as few holes as
  // possible, sorted by place. Returns none if there aren't enough.
  std::optional<std::vector<ClusterRun>> take(uint64_t count);
  void give_back(const ClusterRun& run);
  uint64_t count() const;
  const std::vector<ClusterRun>& holes() const { return holes_; }

 private:
  std::vector<ClusterRun> holes_;  // sorted, not adjoining
};

}  // namespace seekless

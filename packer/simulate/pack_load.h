// Simulates what loads cost from packs, real or virtual: the runtime's own sweep, and its reading
// of single assets, on a simulated drive.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/profile.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/simulated.h"
#include "runtime/file_io.h"

namespace seekless {

// Holds a pack set and its place on a drive.
struct PacksOnDrive {
  const runtime::FileIo& io;  // for real or virtual packs
  std::string folder;
  std::span<const FileToPlace> files;  // as returned by files_of_set
  std::span<const uint64_t> positions;
  const DriveProfile& drive;
};

struct PackLoad {
  SimulatedLoad load;
  uint64_t assets = 0;      // assets that are needed
  uint64_t missing = 0;     // assets asked for that aren't in the set
  bool is_typical = false;  // the typical scenario was swept instead
  uint64_t unswept = 0;     // assets asked for that are in the set, but not in the sweep
};

// Returns the set's catalog and packs, in the catalog's order. Fails with the runtime's error for a
// damaged set and for a single pack.
Result<std::vector<FileToPlace>> files_of_set(const runtime::FileIo& io, const std::string& folder);

// Returns the scenarios that the set was planned for.
Result<std::set<std::string, std::less<>>> scenarios_of_set(const runtime::FileIo& io,
                                                            const std::string& folder);

// Returns the indexes of those `paths` that aren't in the set.
Result<std::vector<size_t>> assets_not_in_set(const runtime::FileIo& io, const std::string& folder,
                                              std::span<const std::string> paths);

// Sweeps `scenario` with the runtime itself, beginning with opening the catalog; then asks one by
// one for those `paths` that the sweep didn't read. If the set wasn't planned for the scenario, the
// typical one is swept, and only `paths` count as needed. While it sweeps, the runtime tells the
// system what it will read next, so there is no read-ahead. The bound counts what the packs store
// of the needed assets, once each: for compressed blocks, their stored bytes.
Result<PackLoad> simulate_sweep(const PacksOnDrive& packs, const std::string& scenario,
                                std::span<const std::string> paths,
                                const SimulationOptions& options);

// Requests each asset once, whole, in the given order, with the runtime's own search and read. If
// there are several copies, the reader takes the one for `scenario`; if the set wasn't planned for
// `scenario`, it takes the one outside any scenario.
Result<PackLoad> simulate_demand(const PacksOnDrive& packs, const std::string& scenario,
                                 std::span<const std::string> paths,
                                 const SimulationOptions& options);

}  // namespace seekless

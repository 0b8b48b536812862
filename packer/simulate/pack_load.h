// What loads cost from packs, real or virtual: the runtime's own sweep, and its reading of assets
// one by one, on a simulated drive.
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

// A pack set as it lies on a drive.
struct PacksOnDrive {
  const runtime::FileIo& io;  // real or virtual
  std::string folder;
  std::span<const FileToPlace> files;  // as files_of_set gives them
  std::span<const uint64_t> positions;
  const DriveProfile& drive;
};

struct PackLoad {
  SimulatedLoad load;
  uint64_t assets = 0;      // needed
  uint64_t missing = 0;     // of those asked for, not in the set
  bool is_typical = false;  // the typical scenario was swept instead
  uint64_t unswept = 0;     // of those asked for, in the set, but not in the sweep
};

// The set's catalog and its packs, in the catalog's order. Error: what the runtime says of a
// damaged set; a single pack.
Result<std::vector<FileToPlace>> files_of_set(const runtime::FileIo& io, const std::string& folder);

// The scenarios that the set was planned for.
Result<std::set<std::string, std::less<>>> scenarios_of_set(const runtime::FileIo& io,
                                                            const std::string& folder);

// Those of `paths`, by index, that aren't in the set.
Result<std::vector<size_t>> assets_not_in_set(const runtime::FileIo& io, const std::string& folder,
                                              std::span<const std::string> paths);

// Sweeps `scenario` by the runtime itself, from opening the catalog on; then asks for what of
// `paths` the sweep didn't bring, one by one. Where it isn't planned, the typical one is swept, and
// only `paths` count as needed. While it sweeps, the runtime hints what it will read
// next, so the system needn't guess: no read-ahead. The bound counts what the packs store of the
// needed assets, once each: of compressed blocks their stored bytes.
Result<PackLoad> simulate_sweep(const PacksOnDrive& packs, const std::string& scenario,
                                std::span<const std::string> paths,
                                const SimulationOptions& options);

// Asks for each asset once, whole, in the order given, by the runtime's own search and read. Of
// copies, the reader takes those of `scenario`; if that isn't planned, those of none.
Result<PackLoad> simulate_demand(const PacksOnDrive& packs, const std::string& scenario,
                                 std::span<const std::string> paths,
                                 const SimulationOptions& options);

}  // namespace seekless

// What a player's machine sends: which assets its loads opened, by number, in order
// (schemas/fleet-upload.md). No path, no name, no time of day. Uploads come from outside, so the
// reader trusts nothing in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

using ClientToken = std::array<std::byte, 16>;

// What the numbers of an upload mean: the catalog of a build.
struct FleetCatalog {
  uint64_t id = 0;              // of the pack set
  uint32_t asset_count = 0;     // places in all packs; an asset's number is that of its first one
  uint32_t scenario_count = 0;  // in the catalog's order

  bool operator==(const FleetCatalog&) const = default;
};

struct FleetRun {
  uint32_t scenario = 0;
  std::vector<uint32_t> assets;  // in the order they were first opened, each once

  bool operator==(const FleetRun&) const = default;
};

enum class FleetMedia : uint8_t { unknown = 0, rotational = 1, solid = 2 };

// As skl_stats tells it.
struct FleetDrive {
  FleetMedia media = FleetMedia::unknown;
  uint64_t seek_us = 0;  // what a seek took on average; 0: not known
  uint64_t reads = 0;
  uint64_t seeks = 0;
  uint64_t read_bytes = 0;

  bool operator==(const FleetDrive&) const = default;
};

struct Upload {
  FleetCatalog catalog;
  ClientToken client = {};
  uint32_t day = 0;  // since 1970
  std::vector<FleetRun> runs;
  std::vector<FleetDrive> drives;
  uint32_t broken_runs = 0;  // left out: a block of theirs is missing or says what can't be
  bool is_cut_off = false;   // the last block isn't whole; what came before it is here
};

// More than a machine sends on a day.
inline constexpr size_t kMostUploadBytes = size_t{16} << 20;

// Error (damaged): no upload, a newer version, a header that isn't what its checksum says, numbers
// out of range. `name` is for messages.
Result<Upload> read_upload(std::span<const std::byte> bytes, const std::string& name);

// Makes one. `runs` are numbered in the order they are added. Assets of a run below asset_count,
// each once; scenarios below scenario_count.
class UploadWriter {
 public:
  UploadWriter(const FleetCatalog& catalog, const ClientToken& client, uint32_t day);
  void add_run(const FleetRun& run);
  void add_drive(const FleetDrive& drive);
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void add_block(uint32_t kind, std::span<const std::byte> payload);

  std::vector<std::byte> bytes_;
  uint32_t runs_ = 0;
  uint32_t blocks_ = 0;
};

}  // namespace seekless

// Defines uploads, which a player's machine sends: the numbers of the assets that its loads opened,
// in order (schemas/fleet-upload.md). An upload has no path, no name and no time of day. Uploads
// come from outside, so the reader trusts nothing in them.
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

// Identifies the catalog of a build, which gives an upload's numbers their meaning.
struct FleetCatalog {
  uint64_t id = 0;              // id of the pack set
  uint32_t asset_count = 0;     // places in all packs; an asset's first place is its number
  uint32_t scenario_count = 0;  // scenarios are numbered in the catalog's order

  bool operator==(const FleetCatalog&) const = default;
};

struct FleetRun {
  uint32_t scenario = 0;
  std::vector<uint32_t> assets;  // in the order they were first opened, each once

  bool operator==(const FleetRun&) const = default;
};

enum class FleetMedia : uint8_t { unknown = 0, rotational = 1, solid = 2 };

// Holds figures that skl_stats returned.
struct FleetDrive {
  FleetMedia media = FleetMedia::unknown;
  uint64_t seek_us = 0;  // average time of a seek; 0: unknown
  uint64_t reads = 0;
  uint64_t seeks = 0;
  uint64_t read_bytes = 0;

  bool operator==(const FleetDrive&) const = default;
};

struct Upload {
  FleetCatalog catalog;
  ClientToken client = {};
  uint32_t day = 0;  // days since 1970
  std::vector<FleetRun> runs;
  std::vector<FleetDrive> drives;
  uint32_t broken_runs = 0;  // runs left out, because one of their blocks is missing or invalid
  bool is_cut_off = false;   // the last block is incomplete; earlier ones are included
};

// A machine sends less than this each day.
inline constexpr size_t kMostUploadBytes = size_t{16} << 20;

// Fails with kind `damaged` if the bytes aren't an upload, have a newer version, a header that
// doesn't match its checksum, or numbers out of range. `name` is for messages.
Result<Upload> read_upload(std::span<const std::byte> bytes, const std::string& name);

// Makes an upload. `runs` are numbered in the order they are added. A run's assets must be below
// asset_count, each once, and its scenario below scenario_count.
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

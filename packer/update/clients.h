// Computes the cost of an update for players' clients: how much they download, read and write, how
// much space they need meanwhile, and how long their disk is busy. Covers four kinds of clients.
// Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/drive/profile.h"

namespace seekless {

// Names the way in which clients find bytes that they already have, and write files.
enum class Client : uint8_t {
  grid,    // 1 MiB chunks from the start of each file; every touched file is written again
  chunks,  // content-defined chunks; every touched file is written again
  apply,   // a patch of `seekless patch`, applied in place by `seekless apply`
  blocks,  // blocks found anywhere in the old file of that name; every touched file is written
           // again
};
inline constexpr size_t kClients = 4;

struct ClientModel {
  Client client;
  std::string_view name;    // name in JSON
  std::string_view like;    // the product that it is modelled on
  std::string_view source;  // the document that describes this kind
};
// Returns the models in the order of the enumeration.
const std::array<ClientModel, kClients>& client_models();

// Counts bytes that the old release lacks, before compression, for each way of comparing.
struct PatchBytes {
  uint64_t grid_bytes = 0;   // new chunks of 1 MiB, from the start of each file
  uint64_t chunk_bytes = 0;  // new content-defined chunks of 8 KiB on average
  uint64_t block_bytes = 0;  // bytes outside the old file's blocks
  uint64_t patch_bytes = 0;  // bytes that a patch contains

  PatchBytes& operator+=(const PatchBytes& other);
  bool operator==(const PatchBytes&) const = default;
};

// Describes a file of the new release that has changed.
struct ChangedFile {
  std::string name;
  uint64_t old_bytes = 0;  // size of the old file of that name; 0 if there is none
  uint64_t new_bytes = 0;
  PatchBytes fresh;
};

// Describes the change from one release to the next.
struct SetChange {
  std::vector<ChangedFile> changed;
  uint64_t old_bytes = 0;  // size of all files of the old release

  PatchBytes total() const;
  uint64_t written_bytes() const;  // size of all changed files
};

struct ClientCost {
  uint64_t downloaded_bytes = 0;  // before compression
  uint64_t read_bytes = 0;        // read from the old release on the player's drive
  uint64_t written_bytes = 0;
  uint64_t peak_room_bytes = 0;  // maximum room that is needed beside the old release
  double seconds = 0;            // time for which the drive is busy

  bool operator==(const ClientCost&) const = default;
};
using ClientCosts = std::array<ClientCost, kClients>;  // indexed by Client

// Computes the costs on an otherwise idle drive. The time counts all reads and writes at the
// drive's middle rate, and two seeks for each 16 MiB, because the system collects that much before
// it writes.
ClientCosts client_costs(const SetChange& change, const DriveProfile& drive);

// Returns the size of the blocks that rsync compares in a file of this size: its square root,
// rounded to 8 bytes, at least 700 and at most 128 KiB.
uint64_t block_bytes_of(uint64_t file_bytes);

}  // namespace seekless

// What an update makes players' clients do: how much they download, read and write, how much room
// they need meanwhile, and how long their disk is busy. Four kinds of clients; pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/drive/profile.h"

namespace seekless {

// How clients find the bytes that they have already, and what they do with the files.
enum class Client : uint8_t {
  grid,    // chunks of 1 MiB from the start of each file; every touched file is made anew
  chunks,  // content-defined chunks; likewise
  apply,   // a patch of `seekless patch`, by `seekless apply` in place
  blocks,  // blocks that the old file of that name has anywhere; likewise made anew
};
inline constexpr size_t kClients = 4;

struct ClientModel {
  Client client;
  std::string_view name;    // as in JSON
  std::string_view like;    // what it is modelled on
  std::string_view source;  // where that is described
};
// In the order of the enumeration.
const std::array<ClientModel, kClients>& client_models();

// Bytes that the old release doesn't have, by the way of looking for them; before compression.
struct PatchBytes {
  uint64_t grid_bytes = 0;   // chunks of 1 MiB, from the start of each file, that are new
  uint64_t chunk_bytes = 0;  // content-defined chunks, of 8 KiB on average, that are new
  uint64_t block_bytes = 0;  // outside of the old file's blocks
  uint64_t patch_bytes = 0;  // that a patch brings along

  PatchBytes& operator+=(const PatchBytes& other);
  bool operator==(const PatchBytes&) const = default;
};

// A file of the new release that isn't as it was.
struct ChangedFile {
  std::string name;
  uint64_t old_bytes = 0;  // of the old file of that name; 0: there is none
  uint64_t new_bytes = 0;
  PatchBytes fresh;
};

// From one release to the next.
struct SetChange {
  std::vector<ChangedFile> changed;
  uint64_t old_bytes = 0;  // of all files of the old release

  PatchBytes total() const;
  uint64_t written_bytes() const;  // of all changed files
};

struct ClientCost {
  uint64_t downloaded_bytes = 0;  // before compression
  uint64_t read_bytes = 0;        // of the old release, on the player's drive
  uint64_t written_bytes = 0;
  uint64_t peak_room_bytes = 0;  // beside the old release, at the most
  double seconds = 0;            // that the drive is busy

  bool operator==(const ClientCost&) const = default;
};
using ClientCosts = std::array<ClientCost, kClients>;  // by Client

// On a drive that has nothing else to do. Seconds: what is read and written, at the drive's rate in
// the middle, and two seeks for each 16 MiB, as the system gathers so much before it writes.
ClientCosts client_costs(const SetChange& change, const DriveProfile& drive);

// Of blocks that rsync compares in a file of this size: its square root, in whole 8 bytes, 700 at
// least and 128 KiB at most.
uint64_t block_bytes_of(uint64_t file_bytes);

}  // namespace seekless

#include "packer/update/clients.h"

#include <algorithm>
#include <cmath>

#include "packer/drive/drive.h"

namespace seekless {
namespace {

// The system collects this much in memory before the head moves to the other file. Linux writes
// back when a tenth of the memory is dirty, Windows after a second; at 100 MB/s, 16 MiB take a
// sixth of a second.
constexpr double kGatheredBytes = 16.0 * 1024 * 1024;

uint64_t less(uint64_t a, uint64_t b) {
  return a - std::min(a, b);
}

double busy_seconds(const ClientCost& cost, const Drive& drive) {
  const double bytes = static_cast<double>(cost.read_bytes + cost.written_bytes);
  const double gathers = std::ceil(static_cast<double>(cost.written_bytes) / kGatheredBytes);
  return bytes / drive.rate_bytes_per_s(drive.capacity_bytes() / 2) +
         2 * gathers * drive.average_access_ms() / 1000;
}

// Every touched file is written beside the old one. With `stages_all`, none is moved into place
// before the last is complete.
ClientCost rebuild(const SetChange& change, uint64_t PatchBytes::*fresh, bool stages_all) {
  ClientCost cost;
  for (const ChangedFile& file : change.changed) {
    cost.downloaded_bytes += file.fresh.*fresh;
    cost.read_bytes += less(file.new_bytes, file.fresh.*fresh);
    cost.written_bytes += file.new_bytes;
    cost.peak_room_bytes = stages_all ? cost.peak_room_bytes + file.new_bytes
                                      : std::max(cost.peak_room_bytes, file.new_bytes);
  }
  return cost;
}

// Unchanged files are hashed. Replaced files are read as far as new files copy from them.
ClientCost apply(const SetChange& change) {
  if (change.changed.empty()) return {};
  ClientCost cost = rebuild(change, &PatchBytes::patch_bytes, true);
  uint64_t replaced_bytes = 0;
  for (const ChangedFile& file : change.changed) replaced_bytes += file.old_bytes;
  cost.read_bytes += less(change.old_bytes, replaced_bytes);
  cost.peak_room_bytes += cost.downloaded_bytes;
  cost.written_bytes += cost.downloaded_bytes;
  return cost;
}

// The old file is read for its checksums, and again to copy from it.
ClientCost compare_blocks(const SetChange& change) {
  ClientCost cost = rebuild(change, &PatchBytes::block_bytes, false);
  for (const ChangedFile& file : change.changed) cost.read_bytes += file.old_bytes;
  return cost;
}

}  // namespace

const std::array<ClientModel, kClients>& client_models() {
  static constexpr std::array<ClientModel, kClients> kModels = {{
      {Client::grid, "grid",
       "SteamPipe: chunks of 1 MiB; every touched file is made anew beside the old one",
       "Steamworks documentation, 'Uploading to Steam'"},
      {Client::chunks, "chunks",
       "Epic's BuildPatch (NonDestructiveInstall) and casync: chunks wherever they lie; touched "
       "files are staged, and moved when all are whole",
       "Unreal Engine documentation, BuildPatchServices::EInstallMode; Xia et al., 'FastCDC', "
       "USENIX ATC 2016, for where chunks end"},
      {Client::apply, "apply",
       "seekless apply, in place: all changed packs beside the old ones, then one switch",
       "schemas/patch.md"},
      {Client::blocks, "blocks",
       "rsync as it comes, not in place: blocks of the old file of that name; one file after the "
       "other",
       "Tridgell and Mackerras, 'The rsync algorithm', ANU TR-CS-96-05, 1996; rsync(1)"},
  }};
  return kModels;
}

PatchBytes& PatchBytes::operator+=(const PatchBytes& other) {
  grid_bytes += other.grid_bytes;
  chunk_bytes += other.chunk_bytes;
  block_bytes += other.block_bytes;
  patch_bytes += other.patch_bytes;
  return *this;
}

PatchBytes SetChange::total() const {
  PatchBytes total;
  for (const ChangedFile& file : changed) total += file.fresh;
  return total;
}

uint64_t SetChange::written_bytes() const {
  uint64_t bytes = 0;
  for (const ChangedFile& file : changed) bytes += file.new_bytes;
  return bytes;
}

ClientCosts client_costs(const SetChange& change, const DriveProfile& profile) {
  const Drive drive(profile);
  ClientCosts costs = {rebuild(change, &PatchBytes::grid_bytes, true),
                       rebuild(change, &PatchBytes::chunk_bytes, true), apply(change),
                       compare_blocks(change)};
  for (ClientCost& cost : costs) cost.seconds = busy_seconds(cost, drive);
  return costs;
}

uint64_t block_bytes_of(uint64_t file_bytes) {
  constexpr uint64_t kLeast = 700;
  constexpr uint64_t kMost = uint64_t{1} << 17;
  const auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(file_bytes)));
  return std::clamp(root / 8 * 8, kLeast, kMost);
}

}  // namespace seekless

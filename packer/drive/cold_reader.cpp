#include "packer/drive/cold_reader.h"

#include <algorithm>
#include <utility>

#include "packer/drive/load_start.h"

namespace seekless {
namespace {

Drive drive_for(DriveProfile profile, const std::vector<uint64_t>& file_bytes, Drive::Turn turn) {
  uint64_t all_bytes = 0;
  for (const uint64_t bytes : file_bytes) all_bytes += whole_pages(bytes);
  if (auto* disk = std::get_if<HardDisk>(&profile.hardware))
    disk->capacity_bytes = std::max(disk->capacity_bytes, all_bytes);
  Drive drive(profile, 0, turn);
  send_head_away(drive);
  return drive;
}

}  // namespace

ColdReader::ColdReader(DriveProfile profile, const std::vector<uint64_t>& file_bytes,
                       const ReadAhead& read_ahead, Drive::Turn turn)
    : away_(drive_for(std::move(profile), file_bytes, turn)),
      drive_(away_),
      cache_(drive_, read_ahead) {
  uint64_t position = 0;
  for (const uint64_t bytes : file_bytes) {
    // The drive is made large enough for all files, unless no drive could be.
    open_.push_back(cache_.open(cache_.add_file(position, bytes).value_or(0)));
    position += whole_pages(bytes);
  }
}

// Reopens only the files that were read: a load reads a few out of ten thousand.
void ColdReader::begin() {
  drive_ = away_;
  cache_.forget();
  for (const uint32_t file : touched_) open_[file] = cache_.open(file);
  touched_.clear();
}

}  // namespace seekless

#include "packer/foresee/play_forecast.h"

#include <map>
#include <string_view>
#include <unordered_map>

#include "packer/base/paths.h"
#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/drive/load_start.h"
#include "packer/foresee/name_order.h"

namespace seekless {
namespace {

// Charges simulated drives for looking up names.
class NamesOnDrives final : public NamesOnDisk {
 public:
  NamesOnDrives(const DriveProfile& profile, std::span<const FileExtents> files,
                const FolderPlaces& folders)
      : profile_(profile), folders_(folders), finder_(folders) {
    for (const FileExtents& file : files) {
      if (file.path.empty()) continue;
      files_.emplace(file.path, &file);
      inodes_[folder_above(file.path)][std::string(file_name(file.path))] = file.ext4_inode;
    }
    for (const auto& [path, list] : folders)
      inodes_[folder_above(path)][std::string(file_name(path))] = list.ext4_inode;
  }

  std::unordered_map<std::string, uint64_t> list(const std::string& folder) override {
    if (const auto found = folders_.find(folder); found != folders_.end())
      finder_.list(folder, drive(found->second.device));
    const auto known = inodes_.find(folder);
    return known == inodes_.end() ? std::unordered_map<std::string, uint64_t>{} : known->second;
  }

  void look_up(const std::string& path, bool is_folder) override {
    if (is_folder) {
      if (const auto found = folders_.find(path); found != folders_.end())
        finder_.look_up_folder(path, drive(found->second.device));
    } else if (const auto found = files_.find(path); found != files_.end()) {
      finder_.look_up(*found->second, drive(found->second->device));
    }
  }

  Drive& drive(uint64_t device) {
    const auto [drive, is_new] = drives_.try_emplace(device, profile_);
    if (is_new) send_head_away(drive->second);
    return drive->second;
  }
  FileFinder& finder() { return finder_; }

  double busy_seconds() const {
    double seconds = 0;
    for (const auto& [device, drive] : drives_) seconds += drive.counters().busy_ms / 1000;
    return seconds;
  }

 private:
  const DriveProfile& profile_;
  const FolderPlaces& folders_;
  FileFinder finder_;
  std::map<uint64_t, Drive> drives_;
  std::unordered_map<std::string_view, const FileExtents*> files_;
  // Maps folders to what they hold.
  std::unordered_map<std::string_view, std::unordered_map<std::string, uint64_t>> inodes_;
};

// Returns the files' names, and those of the lists that lead to them, relative to the folder. Files
// outside of it are found one by one.
std::vector<LearnedName> names_in(const PlayedLoad& load, std::span<const FileExtents> files,
                                  const FolderPlaces& folders, NamesOnDrives& disk) {
  std::vector<LearnedName> names;
  const size_t above = load.folder.ends_with('/') ? load.folder.size() : load.folder.size() + 1;
  for (const uint32_t number : load.found) {
    const FileExtents& file = files[number];
    if (file.path.empty()) continue;
    if (lies_in(file.path, load.folder) && file.path.size() > above)
      names.push_back({file.path.substr(above)});
    else
      disk.finder().find(file, disk.drive(file.device));
  }
  for (const auto& [path, list] : folders)
    if (lies_in(path, load.folder) && path.size() > above && !list.extents.empty())
      names.push_back({path.substr(above) + "/", list.extents.front().place_bytes});
  return names;
}

void read_chunk(const PlayedLoad& load, std::span<const FileExtents> files, const FetchChunk& chunk,
                NamesOnDrives& disk) {
  const bool is_copy = chunk.file == kShadowFile;
  Drive& drive = disk.drive(is_copy ? load.copies_device : files[chunk.file].device);
  if (!is_copy) disk.finder().map(files[chunk.file], chunk.offset_bytes, chunk.length_bytes, drive);
  for_each_piece(
      is_copy ? std::span<const Extent>(load.copies) : files[chunk.file].extents,
      chunk.offset_bytes, chunk.offset_bytes + chunk.length_bytes,
      [&](const Extent& piece, size_t) { drive.read(piece.place_bytes, piece.length_bytes); });
}

}  // namespace

Result<double> forecast_play(const DriveProfile& drive, std::span<const FileExtents> files,
                             const FolderPlaces& folders, const PlayedLoad& load) {
  const Drive empty(drive);
  SKL_TRY_DO(check_fits_on(empty, folders));
  for (const uint32_t file : load.found) SKL_TRY_DO(check_fits_on(empty, files[file]));
  NamesOnDrives disk(drive, files, folders);
  if (const auto top = folders.find(load.folder); top != folders.end())
    disk.finder().find({.path = load.folder, .device = top->second.device},
                       disk.drive(top->second.device));
  look_up_in_order(load.folder, names_in(load, files, folders, disk), disk);
  for (const FetchChunk& chunk : load.chunks) read_chunk(load, files, chunk, disk);
  // After the load, `play` looks up where the files lie, for the next time.
  for (const uint32_t file : load.found)
    disk.finder().map(files[file], disk.drive(files[file].device));
  return disk.busy_seconds();
}

}  // namespace seekless

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "packer/base/paths.h"
#include "packer/host/block_device.h"
#include "packer/host/mount_table.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLayers = 8;  // limit of devices stacked on devices
constexpr uint64_t kSectorBytes =
    512;  // unit of "size" in /sys, whatever the drive's own sectors are

// Returns the file's first line; an empty text if it can't be read.
std::string line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const size_t end = line.find_last_not_of(" \t");
  const size_t begin = line.find_first_not_of(" \t");
  return end == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

std::string size_text(uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (number >= 1e12) return fmt::format("{:.1f} TB", number / 1e12);
  return fmt::format("{:.1f} GB", number / 1e9);
}

FoundDrive unknown(std::string why) {
  return {.is_rotational = std::nullopt, .description = std::move(why)};
}

// Returns true for network file systems.
bool is_of_network(std::string_view type) {
  constexpr std::array<std::string_view, 14> kTypes = {
      "9p",          "afs",        "beegfs", "ceph",  "cifs", "coda", "fuse.glusterfs",
      "fuse.rclone", "fuse.sshfs", "lustre", "ncpfs", "nfs",  "nfs4", "smb3"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

class DeviceFinder {
 public:
  DeviceFinder(std::string system_folder, std::string mounts)
      : system_folder_(std::move(system_folder)), mounts_(std::move(mounts)) {}

  FoundDrive of_device(uint64_t device, int layers = 0) const {
    const std::string number = fmt::format("{}:{}", major(device), minor(device));
    if (layers > kMostLayers) return unknown("its devices lie on each other without end");
    std::error_code error;
    fs::path folder = fs::canonical(system_folder_ + "/dev/block/" + number, error);
    if (error) return of_file_system(device, number, layers);
    if (fs::exists(folder / "partition", error)) folder = folder.parent_path();
    if (const std::string file = line_of(folder / "loop" / "backing_file"); !file.empty())
      return of_path(file, layers + 1);
    if (auto below = of_slaves(folder, layers)) return *std::move(below);
    return of_drive(folder);
  }

  FoundDrive of_path(const std::string& path, int layers = 0) const {
    std::error_code error;
    fs::path at = fs::absolute(path, error);
    struct stat stamp = {};
    while (stat(at.c_str(), &stamp) != 0) {
      if (!at.has_parent_path() || at == at.parent_path()) return unknown("no such path");
      at = at.parent_path();
    }
    return of_device(stamp.st_dev, layers);
  }

 private:
  static FoundDrive of_drive(const fs::path& folder) {
    const std::string flag = line_of(folder / "queue" / "rotational");
    std::string text = folder.filename().string();
    if (const std::string model = line_of(folder / "device" / "model"); !model.empty())
      text += ", " + model;
    uint64_t sectors = 0;
    std::istringstream(line_of(folder / "size")) >> sectors;
    if (sectors > 0) text += ", " + size_text(sectors * kSectorBytes);
    if (flag != "0" && flag != "1") return unknown(text + ", doesn't say whether it is rotational");
    const bool is_rotational = flag == "1";
    return {.is_rotational = is_rotational,
            .description = text + (is_rotational ? ", says that it is rotational"
                                                 : ", says that it isn't rotational")};
  }

  // If several drives are combined, returns one that seeks, if any does.
  std::optional<FoundDrive> of_slaves(const fs::path& folder, int layers) const {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator each(folder / "slaves", error), end; !error && each != end;
         each.increment(error))
      names.push_back(each->path().string());
    std::ranges::sort(names);
    std::optional<FoundDrive> found;
    for (const std::string& name : names) {
      const FoundDrive below = of_number(line_of(fs::path(name) / "dev"), layers + 1);
      if (!found || (below.is_rotational.value_or(false) && !found->is_rotational.value_or(false)))
        found = below;
    }
    return found;
  }

  FoundDrive of_number(const std::string& number, int layers) const {
    unsigned of_driver = 0;
    unsigned of_device_there = 0;
    char colon = 0;
    std::istringstream stream(number);
    if (!(stream >> of_driver >> colon >> of_device_there) || colon != ':')
      return unknown("one of the devices below it has no number");
    return of_device(makedev(of_driver, of_device_there), layers);
  }

  // Describes a file system whose number belongs to no block device: it spans several devices, or
  // lies in memory or elsewhere. The table of mounts shows which, and names one of its devices.
  FoundDrive of_file_system(uint64_t device, const std::string& number, int layers) const {
    std::ifstream mounts(mounts_);
    for (std::string line; std::getline(mounts, line);) {
      std::istringstream words(line);
      std::string ignored, of, word, type, source;
      words >> ignored >> ignored >> of;
      if (of != number) continue;
      while (words >> word && word != "-") continue;
      words >> type >> source;
      struct stat stamp = {};
      if (source.starts_with("/dev/") && stat(source.c_str(), &stamp) == 0 &&
          S_ISBLK(stamp.st_mode) && stamp.st_rdev != device)
        return of_device(stamp.st_rdev, layers + 1);
      if (is_of_network(type))
        return {.is_rotational = std::nullopt,
                .is_on_network = true,
                .description = fmt::format("it lies on {}, another machine's drive", type)};
      FoundDrive found = unknown(fmt::format("it lies on {}, which names no drive", type));
      // A loop device on a file in memory counts as a drive.
      found.is_in_memory = layers == 0 && (type == "tmpfs" || type == "ramfs");
      return found;
    }
    return unknown("the system knows no drive of its files");
  }

  const std::string system_folder_;
  const std::string mounts_;
};

}  // namespace

bool lies_on_network(const std::string& path, const std::string& mounts) {
  std::error_code error;
  const std::string whole = in_mount_table(fs::absolute(path, error).lexically_normal().string());
  std::ifstream table(mounts);
  std::string longest;
  bool is_network = false;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string ignored, root, point, word, type;
    words >> ignored >> ignored >> ignored >> root >> point;
    while (words >> word && word != "-") continue;
    words >> type;
    // Later lines cover earlier ones.
    if (point.size() < longest.size() || !lies_in(whole, point)) continue;
    longest = point;
    is_network = is_of_network(type);
  }
  return is_network;
}

FoundDrive drive_of_path(const std::string& path, const std::string& system_folder,
                         const std::string& mounts) {
  return DeviceFinder(system_folder, mounts).of_path(path);
}

FoundDrive drive_of_device(uint64_t device, const std::string& system_folder,
                           const std::string& mounts) {
  return DeviceFinder(system_folder, mounts).of_device(device);
}

}  // namespace seekless

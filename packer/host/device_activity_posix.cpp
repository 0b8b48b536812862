#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "packer/host/device_activity.h"

namespace seekless {
namespace {

constexpr uint64_t kStatSectorBytes = 512;  // unit of /sys, whatever the drive's own sectors are

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const size_t end = line.find_last_not_of(" \t");
  return end == std::string::npos ? "" : line.substr(0, end + 1);
}

// Finds the device of a file system whose number belongs to no block device, such as Btrfs.
std::optional<uint64_t> device_of_mount(uint64_t device, const std::string& mounts) {
  const std::string number = fmt::format("{}:{}", major(device), minor(device));
  std::ifstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, of, source;
    words >> word >> word >> of;
    if (of != number) continue;
    while (words >> word && word != "-") continue;
    words >> word >> source;
    struct stat found = {};
    if (stat(source.c_str(), &found) == 0 && S_ISBLK(found.st_mode)) return found.st_rdev;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> folder_of(uint64_t device, const std::string& system_folder) {
  std::error_code error;
  auto folder = std::filesystem::canonical(
      fmt::format("{}/dev/block/{}:{}", system_folder, major(device), minor(device)), error);
  return error ? std::nullopt : std::optional(std::move(folder));
}

}  // namespace

std::optional<HostDevice> device_below(const std::string& path, const std::string& system_folder,
                                       const std::string& mounts) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  auto folder = folder_of(found.st_dev, system_folder);
  if (!folder) {
    const auto other = device_of_mount(found.st_dev, mounts);
    if (other) folder = folder_of(*other, system_folder);
  }
  if (!folder) return std::nullopt;
  std::error_code error;
  const bool is_partition = std::filesystem::exists(*folder / "partition", error);
  const auto whole = is_partition ? folder->parent_path() : *folder;
  uint64_t sectors = 0;
  std::istringstream(first_line(*folder / "size")) >> sectors;
  uint64_t read_ahead_kib = 0;
  std::istringstream(first_line(whole / "queue" / "read_ahead_kb")) >> read_ahead_kib;
  return HostDevice{.path = "/dev/" + folder->filename().string(),
                    .size_bytes = sectors * kStatSectorBytes,
                    .model = first_line(whole / "device" / "model"),
                    .read_ahead_bytes = read_ahead_kib * 1024,
                    .statistics = (whole / "stat").string()};
}

std::optional<HostCounters> counters_of(const HostDevice& device) {
  std::ifstream stream(device.statistics);
  // Documentation/block/stat.rst: reads, merged, sectors, ms; the same of writes; in flight, busy.
  std::array<uint64_t, 10> fields = {};
  for (uint64_t& field : fields)
    if (!(stream >> field)) return std::nullopt;
  return HostCounters{.requests = fields[0] + fields[4],
                      .read_bytes = fields[2] * kStatSectorBytes,
                      .written_bytes = fields[6] * kStatSectorBytes,
                      .busy_ms = fields[9]};
}

std::optional<uint64_t> own_read_bytes() {
  std::ifstream stream("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (stream >> name >> value)
    if (name == "read_bytes:") return value;
  return std::nullopt;
}

}  // namespace seekless

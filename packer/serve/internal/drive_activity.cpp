#include "packer/serve/internal/drive_activity.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace seekless {
namespace {

// Indexes of fields in the line of `stat`, as the kernel's documentation of block devices numbers
// them.
constexpr size_t kReads = 0;
constexpr size_t kWrites = 4;
constexpr size_t kWaiting = 8;

}  // namespace

std::optional<DriveTransfers> transfers_of(const std::string& path,
                                           const std::string& system_folder) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  std::error_code error;
  std::filesystem::path folder = std::filesystem::canonical(
      fmt::format("{}/dev/block/{}:{}", system_folder, major(status.st_dev), minor(status.st_dev)),
      error);
  if (error) return std::nullopt;
  // Other partitions share the same heads, so the whole drive counts.
  if (std::filesystem::exists(folder / "partition", error)) folder = folder.parent_path();
  std::ifstream line(folder / "stat");
  std::array<uint64_t, kWaiting + 1> fields = {};
  for (uint64_t& field : fields)
    if (!(line >> field)) return std::nullopt;
  return DriveTransfers{fields[kReads] + fields[kWrites], fields[kWaiting]};
}

}  // namespace seekless

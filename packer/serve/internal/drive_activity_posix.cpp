#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "packer/serve/internal/drive_activity.h"

namespace seekless {
namespace {

// Indexes of fields in the line of `stat`, as the kernel's documentation of block devices numbers
// them.
constexpr size_t kReads = 0;
constexpr size_t kReadSectors = 2;
constexpr size_t kWrites = 4;
constexpr size_t kWaiting = 8;
constexpr size_t kBusyMs = 9;
constexpr int64_t kSectorBytes = 512;

// Returns the path of the drive's counts; empty if there are none.
std::string counts_of(const std::string& path, const std::string& system_folder) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "";
  std::error_code error;
  std::filesystem::path folder = std::filesystem::canonical(
      fmt::format("{}/dev/block/{}:{}", system_folder, major(status.st_dev), minor(status.st_dev)),
      error);
  if (error) return "";
  // Other partitions share the same heads, so the whole drive counts.
  if (std::filesystem::exists(folder / "partition", error)) folder = folder.parent_path();
  return folder / "stat";
}

// Returns the files of counts of all drives, each once.
std::vector<std::string> counts_of_all(std::span<const std::string> paths,
                                       const std::string& system_folder) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    std::string counts = counts_of(path, system_folder);
    if (!counts.empty() && std::ranges::find(all, counts) == all.end())
      all.push_back(std::move(counts));
  }
  return all;
}

using DriveCounts = std::array<uint64_t, kBusyMs + 1>;

std::optional<DriveCounts> read_counts(const std::string& path) {
  std::ifstream line(path);
  DriveCounts counts = {};
  size_t found = 0;
  while (found < counts.size() && line >> counts[found]) ++found;
  if (found <= kWaiting) return std::nullopt;
  return counts;
}

// Returns how many bytes, metadata included, drives have read for the process.
std::optional<int64_t> read_bytes_in(const std::string& path) {
  std::ifstream lines(path);
  std::string name;
  for (int64_t value = 0; lines >> name >> value;)
    if (name == "read_bytes:") return value;
  return std::nullopt;
}

}  // namespace

std::optional<DriveTransfers> transfers_of(std::span<const std::string> paths,
                                           const std::string& system_folder) {
  std::optional<DriveTransfers> all;
  for (const std::string& drive : counts_of_all(paths, system_folder)) {
    const auto counts = read_counts(drive);
    if (!counts) continue;
    if (!all) all.emplace();
    all->done += (*counts)[kReads] + (*counts)[kWrites];
    all->waiting += (*counts)[kWaiting];
  }
  return all;
}

OthersReads::OthersReads(std::span<const std::string> paths, const std::string& system_folder,
                         std::string own_counts)
    : drive_counts_(counts_of_all(paths, system_folder)),
      own_counts_(std::move(own_counts)),
      most_bytes_(others_bytes()),
      last_(counts().value_or(Counts{})) {}

// This process's reads count as its own before they count as the drive's, so the others' bytes may
// seem to shrink. Only a new maximum shows that others have read.
bool OthersReads::have_come() {
  const auto bytes = others_bytes();
  if (!bytes || !most_bytes_ || *bytes <= *most_bytes_) return false;
  most_bytes_ = bytes;
  return true;
}

double OthersReads::busy_s() {
  constexpr double kMsOfOneSecond = 1e3;
  const auto now = counts();
  if (!now) return 0;
  const Counts before = std::exchange(last_, *now);
  const int64_t all = now->all_bytes - before.all_bytes;
  const int64_t others = all - (now->own_bytes - before.own_bytes);
  if (all <= 0 || others <= 0) return 0;
  const double part = std::min(1.0, static_cast<double>(others) / static_cast<double>(all));
  return static_cast<double>(now->busy_ms - before.busy_ms) / kMsOfOneSecond * part;
}

std::optional<OthersReads::Counts> OthersReads::counts() const {
  const auto own_bytes = read_bytes_in(own_counts_);
  if (!own_bytes) return std::nullopt;
  std::optional<Counts> all;
  for (const std::string& drive : drive_counts_) {
    const auto of = read_counts(drive);
    if (!of) continue;
    if (!all) all = Counts{.own_bytes = *own_bytes};
    all->all_bytes += static_cast<int64_t>((*of)[kReadSectors]) * kSectorBytes;
    all->busy_ms += static_cast<int64_t>((*of)[kBusyMs]);
  }
  return all;
}

std::optional<int64_t> OthersReads::others_bytes() const {
  const auto now = counts();
  if (!now) return std::nullopt;
  return now->all_bytes - now->own_bytes;
}

}  // namespace seekless

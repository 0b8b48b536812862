#include <array>
#include <cerrno>
#include <utility>

#include <windows.h>

#include "packer/place/internal/ntfs_mover.h"
#include "packer/place/internal/ntfs_volume_windows.h"
#include "packer/place/mover.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

// Returns "NTFS"; empty if there is no such volume.
std::string file_system_of(const std::string& folder) {
  const auto path = runtime::to_wide_path(folder);
  if (!path) return "";
  std::vector<wchar_t> root(path->size() + MAX_PATH);
  std::array<wchar_t, MAX_PATH + 1> name = {};
  if (::GetVolumePathNameW(path->c_str(), root.data(), static_cast<DWORD>(root.size())) == 0 ||
      ::GetVolumeInformationW(root.data(), nullptr, 0, nullptr, nullptr, nullptr, name.data(),
                              name.size()) == 0)
    return "";
  return runtime::to_utf8(name.data());
}

std::string why_not_on(const std::string& system) {
  if (system.starts_with("FAT") || system == "exFAT")
    return system + ", where a power failure during a move could damage a file";
  if (system.empty()) return "a drive that doesn't tell its file system";
  return system + ", with which moving wasn't tried";
}

OpenNtfsVolume opener_of(const std::string& folder) {
  return [folder] { return open_ntfs_volume(folder, VolumeAccess::move); };
}

// Wine calls its drives NTFS, too, but can't move clusters.
bool can_move_clusters(const std::string& folder) {
  const auto volume = open_ntfs_volume(folder, VolumeAccess::ask);
  if (!volume) return volume.error().os_error == EACCES;
  const auto layout = (*volume)->layout();
  return layout || layout.error().os_error == EACCES;
}

}  // namespace

Result<Mover> mover_for(const std::string& folder, Mover::Warn warn) {
  if (const std::string system = file_system_of(folder); system != "NTFS")
    return failed({.file = folder,
                   .expected = "a drive of NTFS in this machine",
                   .found = why_not_on(system),
                   .advice = "pack or repack the content instead"});
  if (!can_move_clusters(folder))
    return failed({.file = folder,
                   .expected = "a file system that can move files",
                   .found = "one that can't (a network's and Wine's drives can't)",
                   .advice = "pack or repack the content instead"});
  return make_ntfs_mover(folder, opener_of(folder), std::move(warn));
}

FindRoom room_finder(const std::string& folder, Mover::Warn warn) {
  return make_ntfs_room_finder(folder, opener_of(folder), std::move(warn));
}

}  // namespace seekless

#include <windows.h>

#include "packer/host/block_device.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"
#include "runtime/seek_penalty_windows.h"

namespace seekless {
namespace {

constexpr size_t kMostVolumeName = 50;  // "\\?\Volume{GUID}\", as Windows documents it

// Returns "C:\" or "\\server\share\"; the path needn't exist yet.
std::wstring root_of(const std::wstring& path) {
  std::wstring root(path.size() + MAX_PATH, L'\0');
  if (::GetVolumePathNameW(path.c_str(), root.data(), static_cast<DWORD>(root.size())) == 0)
    return {};
  root.resize(root.find(L'\0'));
  return root;
}

}  // namespace

FoundDrive drive_of_path(const std::string& path, const std::string&, const std::string&) {
  const auto name = runtime::to_wide_path(path);
  const std::wstring root = name ? root_of(*name) : std::wstring();
  if (root.empty()) return {.is_rotational = std::nullopt, .description = "no such path"};
  const std::string text = runtime::to_utf8(root);
  wchar_t volume[kMostVolumeName] = {};
  if (::GetVolumeNameForVolumeMountPointW(root.c_str(), volume, kMostVolumeName) == 0)
    return {.is_rotational = std::nullopt,
            .is_on_network = root.starts_with(L"\\\\"),
            .description = "it lies on " + text + ", which names no drive of this machine"};
  const auto has_penalty = runtime::has_seek_penalty(volume);
  if (!has_penalty)
    return {.is_rotational = std::nullopt,
            .description = text + " doesn't say whether seeking costs it time"};
  return {.is_rotational = *has_penalty,
          .description = text + (*has_penalty ? " says that seeking costs it time"
                                              : " says that seeking costs it no time")};
}

bool lies_on_network(const std::string& path, const std::string&) {
  return drive_of_path(path, "", "").is_on_network;
}

FoundDrive drive_of_device(uint64_t, const std::string&, const std::string&) {
  return {.is_rotational = std::nullopt, .description = "Windows numbers no devices"};
}

}  // namespace seekless

#include "runtime/seek_penalty_windows.h"

#include <windows.h>
#include <winioctl.h>

#include "runtime/handle_windows.h"

namespace seekless::runtime {

std::optional<bool> has_seek_penalty(std::wstring volume) {
  if (volume.empty()) return std::nullopt;
  volume.pop_back();  // without the '\', this opens the volume, not its root folder
  const Handle device(::CreateFileW(volume.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                    OPEN_EXISTING, 0, nullptr));
  if (!device) return std::nullopt;
  STORAGE_PROPERTY_QUERY query = {};
  query.PropertyId = StorageDeviceSeekPenaltyProperty;
  query.QueryType = PropertyStandardQuery;
  DEVICE_SEEK_PENALTY_DESCRIPTOR answer = {};
  DWORD got = 0;
  if (::DeviceIoControl(device.get(), IOCTL_STORAGE_QUERY_PROPERTY, &query, sizeof(query), &answer,
                        sizeof(answer), &got, nullptr) == 0 ||
      got < sizeof(answer))
    return std::nullopt;
  return answer.IncursSeekPenalty != 0;
}

}  // namespace seekless::runtime

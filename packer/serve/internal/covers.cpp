#include "packer/serve/internal/covers.h"

#include <algorithm>

#include "packer/serve/internal/private_mount.h"

namespace seekless {

Result<Covers> Covers::find_way(std::span<const std::string> folders) {
  // A separate process tries it first: if only a part of it worked here, this process would stay in
  // a name space in which the program can't run as it would without seekless.
  SKL_TRY_DO(try_to_mount(folders));
  return Covers();
}

Result<void> Covers::begin() {
  SKL_TRY(is_root_, enter_own_mounts());
  return {};
}

Result<Descriptor> Covers::cover(const std::string& folder) {
  SKL_TRY(auto device, mount_over(folder, is_root_));
  folders_.push_back(folder);
  return device;
}

void Covers::uncover() {
  std::ranges::for_each(folders_, seekless::uncover);
}

}  // namespace seekless

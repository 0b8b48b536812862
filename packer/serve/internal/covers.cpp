#include "packer/serve/internal/covers.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "packer/serve/internal/private_mount.h"

namespace seekless {

Result<Covers> Covers::find_way(std::span<const std::string> folders) {
  // A separate process tries it first: if only a part of it worked here, this process would stay in
  // a name space in which the program can't run as it would without seekless.
  const auto tried = try_to_mount(folders);
  if (tried) return Covers(true);
  if (::geteuid() == 0) return std::unexpected(tried.error());
  // The first mount by the helper shows if it works. If not, what is missing for own mounts matters
  // more.
  for (const std::string& folder : folders) {
    auto mount = HelperMount::over(folder);
    if (!mount) continue;
    mount->unmount();
    return Covers(false);
  }
  return std::unexpected(tried.error());
}

Result<void> Covers::begin() {
  if (!has_own_mounts_) return {};
  SKL_TRY(is_root_, enter_own_mounts());
  return {};
}

Result<Descriptor> Covers::cover(const std::string& folder) {
  if (has_own_mounts_) {
    SKL_TRY(auto device, mount_over(folder, is_root_));
    folders_.push_back(folder);
    return device;
  }
  SKL_TRY(auto mount, HelperMount::over(folder));
  folders_.push_back(folder);
  by_helper_.push_back(std::move(mount));
  return by_helper_.back().take_device();
}

void Covers::uncover() {
  if (has_own_mounts_) std::ranges::for_each(folders_, seekless::uncover);
  std::ranges::for_each(by_helper_, &HelperMount::unmount);
}

void Covers::cut_off() const {
  std::ranges::for_each(by_helper_, &HelperMount::cut_off);
}

}  // namespace seekless

#include "packer/serve/internal/drive_activity.h"

namespace seekless {

// Windows counts a drive's transfers only for administrators.
std::optional<DriveTransfers> transfers_of(std::span<const std::string>, const std::string&) {
  return std::nullopt;
}

OthersReads::OthersReads(std::span<const std::string>, const std::string&, std::string) {}

bool OthersReads::have_come() {
  return false;
}

double OthersReads::busy_s() {
  return 0;
}

std::optional<int64_t> OthersReads::others_bytes() const {
  return std::nullopt;
}

}  // namespace seekless

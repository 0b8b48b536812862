#include "packer/base/hasher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace seekless {

std::string to_hex(const format::ContentHash& hash) {
  return fmt::format("{:02x}", fmt::join(hash, ""));
}

}  // namespace seekless

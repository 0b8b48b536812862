#include <fmt/format.h>
#include <sys/utsname.h>

#include "packer/host/machine.h"

namespace seekless {

std::string machine_and_system() {
  utsname names = {};
  if (::uname(&names) != 0) return {};
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace seekless

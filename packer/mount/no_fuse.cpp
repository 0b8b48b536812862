// Replaces set_server.cpp if libfuse was missing at build time.
#include "packer/mount/set_server.h"
#include "packer/serve/session.h"

namespace seekless {

Result<std::unique_ptr<SetServer>> SetServer::mount(SetMount) {
  return std::unexpected(check_can_serve("").error());
}

}  // namespace seekless

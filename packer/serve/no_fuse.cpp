// In the place of session.cpp where libfuse wasn't there at build time.
#include "packer/serve/session.h"

namespace seekless {

Result<void> serve_folder(const ServedFolder& served, FileReader&) {
  return failed({.file = served.path,
                 .expected = "a seekless that was built with libfuse 3.12 or later",
                 .found = "one without",
                 .advice = "install libfuse3-dev, and build again"});
}

bool can_serve() {
  return false;
}

}  // namespace seekless

#include "packer/repack/internal/set_parts.h"

#include <utility>

#include <fmt/format.h>

namespace seekless {

Result<const ByteSource*> OldParts::open(const std::string& path, uint64_t size_bytes) {
  if (open_ == nullptr || open_->name() != path) {
    SKL_TRY(open_, open_source(path));
    if (open_->size_bytes() != size_bytes)
      return failed({.file = path,
                     .expected = fmt::format("a part of {} bytes", size_bytes),
                     .found = fmt::format("{}", open_->size_bytes()),
                     .advice = "it changed meanwhile; run this again"});
  }
  return open_.get();
}

std::unexpected<Error> set_differs(const std::string& path, std::string expected) {
  return damaged({.file = path,
                  .expected = std::move(expected),
                  .found = "something else",
                  .advice = "the set that was written isn't used; please report this"});
}

}  // namespace seekless

#include "packer/pack/whole_set.h"

#include <optional>

#include "packer/host/runtime_error.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

bool opens_all(const runtime::PackSet& set) {
  bool are_open = true;
  for (uint32_t i = 0; i < set.pack_count(); ++i)
    if (!set.pack(i)) are_open = false;
  return are_open;
}

}  // namespace

Result<std::unique_ptr<runtime::PackSet>> open_whole_set(const runtime::FileIo& io,
                                                         const std::string& path) {
  constexpr int kMostTries = 100;
  std::optional<uint64_t> id_before;
  for (int i = 0;; ++i) {
    auto set = runtime::PackSet::open(io, path);
    if (!set) return from_runtime(set.error());
    if ((*set)->catalog() == nullptr || opens_all(**set)) return *std::move(set);
    // A build moves its catalog first and its packs afterwards. If the packs don't fit the same
    // catalog twice, no build is running, so the set is really damaged.
    const uint64_t id = (*set)->catalog()->header().checksum;
    if (id == id_before || i == kMostTries) return *std::move(set);
    id_before = id;
  }
}

}  // namespace seekless

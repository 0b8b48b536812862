// Answers the kernel's calls to a mounted pack set.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>
#include <time.h>

#include "packer/mount/internal/set_sweeps.h"
#include "packer/mount/internal/set_tree.h"
#include "packer/serve/guarded_call.h"
#include "runtime/pack_set.h"

namespace seekless::mount {

struct ServedSet {
  skl_context* context = nullptr;
  const SetTree& tree;
  SetSweeps& sweeps;
  const runtime::PackSet& set;  // has the assets' places
  const SetSweeps::Warn& warn;
  uid_t user = 0;
  gid_t group = 0;
  timespec written = {};  // modification time of the set
  uint64_t pack_bytes = 0;
};

fuse_lowlevel_ops set_calls();

// Lists the extended attributes of a file or a scenario's folder; an empty value means that there
// is no attribute of that name.
inline constexpr const char* kAttributes[] = {"user.seekless.pack", "user.seekless.offset",
                                              "user.seekless.hash", "user.seekless.scenarios"};
std::string attribute_of(const ServedSet& served, const SetNode& node, std::string_view name);

}  // namespace seekless::mount

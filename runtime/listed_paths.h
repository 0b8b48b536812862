// Searches the lists of folders and zips, whose assets are numbered by their index in the list. A
// list is searched only if no name space has its paths in a table.
#pragma once

#include <algorithm>
#include <string_view>

#include "runtime/asset_path.h"
#include "runtime/mount.h"
#include "runtime/pack_format.h"

namespace seekless::runtime {

// Returns the index of `path` in a list of things with paths, or kEmptySlot.
template <typename Listed>
uint32_t find_listed(const Listed& listed, std::string_view path, bool folds_case) {
  const auto found = std::ranges::find_if(listed, [&](const auto& item) {
    return folds_case ? compare_folded(item.path, path) == 0 : item.path == path;
  });
  return found == listed.end() ? format::kEmptySlot : static_cast<uint32_t>(found - listed.begin());
}

template <typename Listed>
Result<void> visit_listed(const Listed& listed, const PathVisitor& visit) {
  for (uint32_t i = 0; i < listed.size(); ++i)
    if (auto visited = visit(i, listed[i].path); !visited) return visited;
  return {};
}

}  // namespace seekless::runtime

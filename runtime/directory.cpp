#include "runtime/directory.h"

#include <algorithm>

#include "runtime/heap_sort.h"

namespace seekless::runtime {

Result<void> Directory::fill(const NameSpace& names) {
  const auto take = [this](const std::string& path, skl_asset asset, uint64_t size_bytes) {
    files_.push_back({text_.size(), static_cast<uint32_t>(path.size()), asset, size_bytes});
    text_.insert(text_.end(), path.begin(), path.end());
    return true;
  };
  if (auto listed = names.list(take); !listed) return listed;
  heap_sort(files_, [this](const Item& item) { return path(item); });
  return {};
}

size_t Directory::first_from(size_t from, std::string_view limit) const {
  const auto found =
      std::partition_point(files_.begin() + static_cast<ptrdiff_t>(std::min(from, files_.size())),
                           files_.end(), [&](const Item& item) { return path(item) < limit; });
  return static_cast<size_t>(found - files_.begin());
}

size_t Directory::first_after_prefix(size_t from, std::string_view prefix) const {
  const auto found =
      std::partition_point(files_.begin() + static_cast<ptrdiff_t>(from), files_.end(),
                           [&](const Item& item) { return path(item).starts_with(prefix); });
  return static_cast<size_t>(found - files_.begin());
}

size_t Directory::files(std::string_view prefix, uint64_t& cursor, std::span<skl_entry> out) const {
  size_t at = cursor != 0 ? cursor : first_from(0, prefix);
  size_t count = 0;
  for (; count < out.size() && at < files_.size(); ++at) {
    const std::string_view found = path(files_[at]);
    if (!found.starts_with(prefix)) break;
    out[count++] = {found.data(), found.size(), files_[at].asset, files_[at].size_bytes};
  }
  cursor = at;
  return count;
}

size_t Directory::children(std::string_view folder, uint64_t& cursor,
                           std::span<skl_entry> out) const {
  size_t at = cursor != 0 ? cursor : first_from(0, folder);
  size_t count = 0;
  while (count < out.size() && at < files_.size()) {
    const std::string_view found = path(files_[at]);
    if (!found.starts_with(folder)) break;
    const size_t slash = found.find('/', folder.size());
    if (slash == std::string_view::npos) {
      out[count++] = {found.data(), found.size(), files_[at].asset, files_[at].size_bytes};
      ++at;
    } else {
      out[count++] = {found.data(), slash, 0, 0};
      at = first_after_prefix(at, found.substr(0, slash + 1));
    }
  }
  cursor = at;
  return count;
}

}  // namespace seekless::runtime

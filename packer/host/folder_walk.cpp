#include "packer/host/folder_walk.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

class TreeWalk {
 public:
  explicit TreeWalk(const FolderVisitor& visitor) : visitor_(visitor) {}

  // `prefix` ends in a slash, unless it is empty.
  Result<void> walk(const std::string& folder, const std::string& prefix, bool is_below_link) {
    const std::string relative = prefix.substr(0, prefix.find_last_of('/'));
    if (!relative.empty() && visitor_.skips && visitor_.skips(relative)) return {};
    std::error_code error;
    std::string real = real_path(folder, error);
    if (error) return failed_call(folder, "open", error.value());
    if (std::ranges::find(above_, real) != above_.end()) return turn_back(folder, relative, real);
    SKL_TRY(const auto entries, list_folder(folder));
    above_.push_back(std::move(real));
    for (const FolderEntry& entry : entries) {
      const std::string path = prefix + entry.name;
      auto visited = entry.is_folder
                         ? walk(folder + (folder.ends_with('/') ? "" : "/") + entry.name,
                                path + "/", is_below_link || entry.is_link)
                         : visitor_.visit({path, entry.size_bytes, entry.is_link, is_below_link,
                                           entry.leads_nowhere});
      if (!visited) return visited;
    }
    above_.pop_back();
    return {};
  }

 private:
  Result<void> turn_back(const std::string& folder, const std::string& relative,
                         const std::string& real) const {
    if (visitor_.leads_back) return visitor_.leads_back(relative, real);
    return failed({.file = folder,
                   .expected = "a tree of folders",
                   .found = fmt::format("a link back to '{}'", real),
                   .advice = "remove the link"});
  }

  const FolderVisitor& visitor_;
  std::vector<std::string> above_;  // paths without links
};

}  // namespace

Result<void> visit_tree(const std::string& folder, const FolderVisitor& visitor) {
  return TreeWalk(visitor).walk(folder, "", false);
}

Result<void> visit_folder(const std::string& folder, const VisitFound& visit) {
  return visit_tree(folder, {.visit = visit});
}

Result<std::vector<FoundFile>> walk_folder(const std::string& folder) {
  std::vector<FoundFile> found;
  const auto keep = [&](const FoundFile& file) -> Result<void> {
    if (!file.leads_nowhere) found.push_back(file);
    return {};
  };
  SKL_TRY_DO(visit_folder(folder, keep));
  return found;
}

}  // namespace seekless

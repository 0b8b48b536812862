#include "packer/pack/source_places.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/content/named_content.h"
#include "packer/host/files.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

class Places {
 public:
  explicit Places(const std::vector<std::string>& folders) : folders_(folders) {}

  bool hold(const std::string& canonical) const {
    return std::ranges::any_of(folders_,
                               [&](const std::string& f) { return lies_in(canonical, f); });
  }

  // Returns true if `path` is below one of these folders but its target isn't, so it passes a link.
  bool hold_link(const std::string& path) const {
    for (std::string front = path; front.find('/') != std::string::npos && front != "/";) {
      if (file_name(front) == "..") return false;
      front = std::string(folder_above(front));
      if (hold(canonical_path(front))) return true;
    }
    return path != ".." && !path.starts_with('/') && hold(canonical_path("."));
  }

 private:
  const std::vector<std::string>& folders_;
};

// Caches canonical paths of folders, because files mostly come folder by folder.
class CanonicalPaths {
 public:
  std::string of(const std::string& path) {
    if (is_link(path)) return canonical_path(path);
    const std::string parent(folder_above(path));
    if (parent != parent_) {
      parent_ = parent;
      canonical_ = canonical_path(parent);
    }
    const std::string name(file_name(path));
    if (name.empty() || name == "." || name == "..") return canonical_path(path);
    return canonical_ + (canonical_.ends_with('/') ? "" : "/") + name;
  }

 private:
  std::string parent_;
  std::string canonical_;
};

}  // namespace

std::vector<std::string> folders_of_content(const std::string& file) {
  std::vector<std::string> folders = {canonical_path(".")};
  if (file != "-") folders.push_back(canonical_path(std::string(folder_above(file))));
  const std::string home = home_folder();
  std::erase_if(folders, [&](const std::string& f) { return f == "/" || f == home; });
  const std::vector<std::string> named = remembered_content();
  folders.insert(folders.end(), named.begin(), named.end());
  return folders;
}

Result<LinksOut> check_source_places(const Layout& layout, const std::string& file,
                                     const std::vector<std::string>& folders) {
  const Places places(folders);
  CanonicalPaths canonical;
  LinksOut out;
  for (const Source& source : layout.sources) {
    const std::string path(source.path);
    const std::string place = canonical.of(path);
    if (places.hold(place)) continue;
    if (kind_of_path(path) == PathKind::missing)
      return failed({.file = file,
                     .place = fmt::format("source '{}'", path),
                     .expected = "a file",
                     .found = fmt::format("nothing at '{}'", place),
                     .advice = "run it in the folder that it was planned in, or plan again"});
    if (!places.hold_link(path))
      return wrong_usage(
          {.file = file,
           .place = fmt::format("source '{}'", path),
           .expected = "a file below the working folder, the layout's own folder, or content that "
                       "you have planned or built from",
           .found = fmt::format("'{}'", place),
           .advice = "if this layout may read it, pack with --allow-outside"});
    if (out.count++ == 0) out.first = fmt::format("'{}' (to '{}')", path, place);
  }
  return out;
}

}  // namespace seekless

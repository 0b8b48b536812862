#include "packer/emit/internal/folder_contents.h"

#include "packer/host/folder_entries.h"

namespace seekless {
namespace {

// `below` is the relative path of the folder to list, with a trailing slash unless it is empty.
Result<void> add_below(const std::string& folder, const std::string& below, FolderContents& into) {
  SKL_TRY(const auto entries, list_folder(folder + "/" + below));
  for (const FolderEntry& entry : entries) {
    const std::string path = below + entry.name;
    if (entry.is_link) {
      into.links.push_back(path);
    } else if (entry.is_folder) {
      into.folders.push_back(path);
      SKL_TRY_DO(add_below(folder, path + "/", into));
    } else {
      into.files.push_back(path);
    }
  }
  return {};
}

}  // namespace

Result<FolderContents> list_contents(const std::string& folder) {
  FolderContents contents;
  SKL_TRY_DO(add_below(folder, "", contents));
  return contents;
}

}  // namespace seekless

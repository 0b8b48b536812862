// Where files lay before they were placed first: kept in files of the user's, one for each folder
// or file that was named.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/extents.h"
#include "packer/host/folder_lock.h"

namespace seekless {

struct EarlierPlace {
  std::string path;
  uint64_t place_bytes = 0;  // where its first piece lay
};

class UndoLists {
 public:
  // `place` is the folder that holds all lists, by default this user's; `roots` are canonical.
  // Nobody else changes lists there while this exists.
  static Result<UndoLists> open(const std::string& place, const std::vector<std::string>& roots);

  std::vector<EarlierPlace> files() const;
  // Files that the lists know keep their earlier places. On the disk when it returns.
  Result<void> add(const std::vector<FileExtents>& files);
  Result<void> remove() const;
  // Clears what killed runs left beside the files that the lists know, and beside the lists.
  Result<void> clear_leftovers() const;

 private:
  struct List {
    std::string root;
    std::string path;
    std::vector<EarlierPlace> files;
  };
  static Result<List> read(const std::string& path, const std::string& root);
  static Result<void> add(const std::vector<FileExtents>& files, List& list);
  size_t list_of(const std::string& file) const;

  std::optional<FolderLock> lock_;
  std::vector<List> lists_;
};

// As they lie now, in the order in which they lay then. What can't be found is warned of.
std::vector<FileExtents> files_by_earlier_place(std::vector<EarlierPlace> earlier,
                                                const std::function<void(std::string_view)>& warn);

}  // namespace seekless

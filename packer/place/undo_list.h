// Where files lay before they were placed first: kept in files of the user's, one for each folder
// or file that was named.
#pragma once

#include <functional>
#include <optional>
#include <set>
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
  // Canonical paths that links in the roots lead to.
  using LedTo = std::function<std::set<std::string>()>;
  using Warn = std::function<void(std::string_view)>;

  // `place` is the folder that holds all lists, by default this user's; `roots` are canonical.
  // Nobody else changes lists there while this exists. `led_to` is only asked if a list has files
  // outside of the roots. Error: others may have written what is there.
  static Result<UndoLists> open(const std::string& place, const std::vector<std::string>& roots,
                                const LedTo& led_to, const Warn& warn);

  // Those that lie in the roots, or that links there lead to; of others it was warned.
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
    std::vector<EarlierPlace> left_out;  // kept for when a link leads to them again
  };
  static Result<List> read(const std::string& path, const std::string& root);
  static Result<void> add(const std::vector<FileExtents>& files, List& list);
  static void leave_out(List& list, const std::set<std::string>& outside, const Warn& warn);
  void hold_to_roots(const LedTo& led_to, const Warn& warn);
  size_t list_of(const std::string& file) const;

  std::optional<FolderLock> lock_;
  std::vector<List> lists_;
};

// As they lie now, in the order in which they lay then. What can't be found is warned of.
std::vector<FileExtents> files_by_earlier_place(std::vector<EarlierPlace> earlier,
                                                const std::function<void(std::string_view)>& warn);

}  // namespace seekless

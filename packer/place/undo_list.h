// Stores where files lay before they were first placed. The lists are this user's own files, one
// for each folder or file given to the command.
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
  uint64_t place_bytes = 0;  // position of its first piece
};

class UndoLists {
 public:
  // Returns the canonical paths that links in the roots lead to.
  using LedTo = std::function<std::set<std::string>()>;
  using Warn = std::function<void(std::string_view)>;

  // `place` is the folder of all lists, by default this user's; `roots` are canonical. Nobody else
  // can change lists there while this object exists. `led_to` is only called if a list has files
  // outside of the roots. Fails if other users may have written the lists.
  static Result<UndoLists> open(const std::string& place, const std::vector<std::string>& roots,
                                const LedTo& led_to, const Warn& warn);

  // Returns the files that lie in the roots, or that links there lead to. open() has warned of the
  // others.
  std::vector<EarlierPlace> files() const;
  // Adds files; files already in the lists keep their earlier places there. When this returns, the
  // lists are on the disk.
  Result<void> add(const std::vector<FileExtents>& files);
  Result<void> remove() const;
  // Removes the remains of killed runs beside the files in the lists, and beside the lists.
  Result<void> clear_leftovers() const;

 private:
  struct List {
    std::string root;
    std::string path;
    std::vector<EarlierPlace> files;
    std::vector<EarlierPlace> left_out;  // kept in case a link leads to them again
  };
  static Result<List> read(const std::string& path, const std::string& root);
  static Result<void> add(const std::vector<FileExtents>& files, List& list);
  static void leave_out(List& list, const std::set<std::string>& outside, const Warn& warn);
  void hold_to_roots(const LedTo& led_to, const Warn& warn);
  size_t list_of(const std::string& file) const;

  std::optional<FolderLock> lock_;
  std::vector<List> lists_;
};

// Returns the files with their present places, in the order of their earlier places. Warns of files
// that can't be found.
std::vector<FileExtents> files_by_earlier_place(std::vector<EarlierPlace> earlier,
                                                const std::function<void(std::string_view)>& warn);

}  // namespace seekless

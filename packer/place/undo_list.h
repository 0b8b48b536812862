// Where files lay before they were placed first: kept in a file of the user's, folder by folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/host/error.h"
#include "packer/host/extents.h"

namespace seekless {

struct EarlierPlace {
  std::string path;
  uint64_t place_bytes = 0;  // where its first piece lay
};

class UndoList {
 public:
  // `place` is the folder that holds all lists, by default this user's; `folder` whose files it is
  // of, canonical.
  static Result<UndoList> open(const std::string& place, const std::string& folder);

  const std::string& path() const { return path_; }
  const std::vector<EarlierPlace>& files() const { return files_; }
  // Files that it knows keep their earlier places. On the disk when it returns.
  Result<void> add(const std::vector<FileExtents>& files);
  Result<void> remove() const;

 private:
  explicit UndoList(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<EarlierPlace> files_;
};

// As they lie now, in the order in which they lay then. What can't be found is warned of.
std::vector<FileExtents> files_by_earlier_place(const UndoList& list,
                                                const std::function<void(std::string_view)>& warn);

}  // namespace seekless

// Manages the folder of a pack set. New files are made in a folder inside it. When all are
// complete, the catalog is moved to its place, which makes them the set that readers see; then the
// packs are moved. So there is a complete set at any time, the old one or the new one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/output/replaced_folder.h"

namespace seekless {

class PackFolder {
 public:
  // Makes the folder if it is missing, and locks it. Finishes the move of a run that was killed
  // during it, and removes the remains of other runs. Refuses a folder that holds anything but a
  // pack set. `known` are names of files that earlier builds wrote there; if a set's catalog is
  // gone or damaged, they identify its remains, which are then replaced. Without a commit, no new
  // files remain, nor the folder if it is new.
  static Result<PackFolder> open(const std::string& path, std::vector<std::string> known = {});
  // Returns the path at which to write the file that will be called `name`.
  std::string staged(const std::string& name) const { return folder_.staged(name); }
  // Moves all new files to their places, and removes the earlier set's packs that the new catalog
  // doesn't name. Packs that it names and that aren't new stay untouched.
  Result<void> commit();

  const std::string& path() const { return folder_.path(); }

 private:
  PackFolder(ReplacedFolder folder, std::vector<std::string> known)
      : folder_(std::move(folder)), known_(std::move(known)) {}
  Result<void> check_contents() const;
  Result<std::vector<std::string>> own_files() const;

  ReplacedFolder folder_;
  std::vector<std::string> known_;
};

}  // namespace seekless

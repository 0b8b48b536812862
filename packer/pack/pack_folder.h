// The folder a pack set is written to. New files are made in a folder inside it. When all are
// whole, the catalog is moved to its place, which makes them the set that readers see, and then
// they are: at any time there is a whole set, the old one or the new one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/output/replaced_folder.h"

namespace seekless {

class PackFolder {
 public:
  // Makes the folder if need be, and keeps others from writing to it. Finishes the move of an
  // earlier run that was killed in its midst, and clears away what another one left. Refuses a
  // folder that holds anything but a pack set.
  // `known` are names of files that earlier builds wrote there: what is left of a set whose catalog
  // is gone or damaged is known by them, and replaced. Without a commit nothing remains of what was
  // staged, nor the folder if it is new.
  static Result<PackFolder> open(const std::string& path, std::vector<std::string> known = {});
  // Where to write the file that is to be called `name`.
  std::string staged(const std::string& name) const { return folder_.staged(name); }
  // Moves all staged files to their places, and removes the packs of the earlier set that the
  // staged catalog doesn't name; those that it names and that aren't staged stay untouched.
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

// The folder that repacked archives are written to. All are made in a folder inside it and moved to
// their places when the last one is whole; a list of them, which lies beside them, lets a later run
// tell its own files from others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/replaced_folder.h"

namespace seekless {

class OutputFolder {
 public:
  // Makes the folder if need be, and keeps other processes out. Finishes the move of an earlier run
  // that was killed in its midst, and clears away what another one left. Refuses a folder that
  // holds anything but an earlier output. Without a commit nothing remains of what was staged, nor
  // the folder if it is new.
  static Result<OutputFolder> open(const std::string& path);
  // Where to write the file that is to be called `name`, a relative path; makes its folder.
  Result<std::string> stage(const std::string& name) const;
  // Moves all staged files to their places, and removes those of the earlier output that are no
  // more.
  Result<void> commit();

 private:
  explicit OutputFolder(ReplacedFolder folder) : folder_(std::move(folder)) {}
  std::string new_files() const;
  std::string in_place(const std::string& name) const { return folder_.path() + "/" + name; }
  Result<void> check_contents() const;
  Result<void> finish_moves();

  ReplacedFolder folder_;
};

}  // namespace seekless

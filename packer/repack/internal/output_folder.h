// Manages the folder that repacked archives are written to. All are made in a folder inside it and
// moved to their places when the last one is whole. A list of them, beside them, lets a later run
// tell its own files from others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/output/replaced_folder.h"

namespace seekless {

class OutputFolder {
 public:
  // Makes the folder if needed and keeps other processes out. Completes the move of an earlier run
  // that was killed midway, and clears away what another one left. Refuses a folder that holds
  // anything but an earlier output. Without a commit, nothing remains of what was staged, nor of a
  // new folder.
  static Result<OutputFolder> open(const std::string& path);
  // Returns where to write the file that will be called `name`, a relative path; makes its folder.
  Result<std::string> stage(const std::string& name) const;
  // Moves all staged files to their places, and removes files of the earlier output that are no
  // longer needed.
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

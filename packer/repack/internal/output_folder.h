// Manages the folder that repacked archives are written to. All are made in a folder inside it, and
// moved to their places when the last one is whole. A list beside them tells a later run which
// files are its own.
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
  // that was killed midway, and removes the remains of others. Refuses a folder that holds anything
  // but an earlier output. Without a commit, neither staged files nor a new folder remain.
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

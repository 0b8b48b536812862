// The folder a pack set is written to. New files are made in a folder inside it and moved to their
// places when all are whole, the catalog last, so that an earlier set stays usable until then.
#pragma once

#include <string>
#include <vector>

#include "packer/host/error.h"

namespace seekless {

class PackFolder {
 public:
  // Makes the folder if need be. Finishes the move of an earlier run that was killed in its midst,
  // and clears away what another one left. Refuses a folder that holds anything but a pack set.
  static Result<PackFolder> open(const std::string& path);
  PackFolder(PackFolder&& other) noexcept;
  PackFolder& operator=(PackFolder&&) = delete;
  PackFolder(const PackFolder&) = delete;
  PackFolder& operator=(const PackFolder&) = delete;
  // Without a commit nothing remains of what was staged, nor the folder if it is new.
  ~PackFolder();

  // Where to write the file that is to be called `name`.
  std::string staged(const std::string& name) const;
  // Moves all staged files to their places, and removes the packs of the earlier set.
  Result<void> commit();

 private:
  PackFolder(std::string path, bool is_new);
  std::string staging() const;
  Result<void> check_staging() const;
  Result<void> finish_moves() const;
  Result<void> clear_staging() const;
  Result<void> check_contents() const;

  std::string path_;
  bool is_new_ = false;
  bool open_ = true;
};

}  // namespace seekless

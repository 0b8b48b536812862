// Decides which of the programs that a game starts are watched, too: its own, unless protection
// against cheating lies around them.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace seekless {

class FollowedPrograms {
 public:
  // `folders` are the watched ones; absolute paths.
  explicit FollowedPrograms(const std::vector<std::string>& folders);

  // Notes the first program. What lies beside it is its own, too, unless that is a launcher's
  // folder, which holds many games, or lies in `system_folder`, where everyone's programs lie.
  void begins(const std::string& program, const std::string& system_folder);
  // A program waits for this, which lists the folders around it once.
  bool follows(const std::string& program);

 private:
  bool lies_in_own(const std::string& path) const;
  bool has_protection_around(const std::string& folder);

  std::vector<std::string> own_;                         // each as one_windows_spelling()
  std::unordered_map<std::string, bool> are_protected_;  // by the same
};

}  // namespace seekless

// Decides which of the programs that a game starts are watched, too: the game's own, unless
// anti-cheat protection lies near them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace seekless {

class FollowedPrograms {
 public:
  // `folders` are the watched ones; absolute paths.
  explicit FollowedPrograms(const std::vector<std::string>& folders);

  // Notes the first program. Returns why it may not be watched, or nothing. Programs beside it
  // count as the game's own, too, except in a launcher's folder, which holds many games, and in
  // `system_folder`, which holds everyone's programs.
  std::optional<std::string> begins(const std::string& program, const std::string& system_folder);
  // Returns true if the program is watched. It waits while this lists some folders around it.
  bool follows(const std::string& program) const;

 private:
  std::vector<std::string> own_;  // each as one_windows_spelling()
};

}  // namespace seekless

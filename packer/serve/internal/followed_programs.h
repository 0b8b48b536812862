// Decides which of the programs that a game starts are watched, too: its own, unless protection
// against cheating lies around them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace seekless {

class FollowedPrograms {
 public:
  // `folders` are the watched ones; absolute paths.
  explicit FollowedPrograms(const std::vector<std::string>& folders);

  // Notes the first program, and returns why it may not be watched either, or nothing. What lies
  // beside it is its own, too, unless that is a launcher's folder, which holds many games, or lies
  // in `system_folder`, where everyone's programs lie.
  std::optional<std::string> begins(const std::string& program, const std::string& system_folder);
  // A program waits for this, which lists some folders around it.
  bool follows(const std::string& program) const;

 private:
  std::vector<std::string> own_;  // each as one_windows_spelling()
};

}  // namespace seekless

// Which of a game's programs were refused something in the served folder that they might have been
// allowed with the rights that their files give in the plain one.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

namespace seekless::serve {

class RefusedPrograms {
 public:
  // A process that was refused something. From any thread.
  void note(pid_t process);
  // In words, a program each.
  std::vector<std::string> told() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> found_;  // path -> what it lost, or empty
};

}  // namespace seekless::serve

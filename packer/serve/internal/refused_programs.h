// Notes which of a game's programs were refused something in the served folder that they might have
// been allowed in the plain one, with the rights that their files give.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

namespace seekless::serve {

class RefusedPrograms {
 public:
  // Notes a process that was refused something. Any thread may call this.
  void note(pid_t process);
  // Returns a text for each program.
  std::vector<std::string> told() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> found_;  // path -> the rights that it lost, or empty
};

}  // namespace seekless::serve

// A deleter for std::unique_ptr<DIR, CloseFolder>.
#pragma once

#include <dirent.h>

namespace seekless {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace seekless

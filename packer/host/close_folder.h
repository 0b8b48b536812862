// Closes a folder that std::unique_ptr<DIR, CloseFolder> owns.
#pragma once

#include <dirent.h>

namespace seekless {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace seekless

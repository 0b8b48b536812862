// Holds the result of watching a game, however its reads were seen.
#pragma once

#include <chrono>
#include <vector>

#include "packer/serve/foresight.h"

namespace seekless {

struct WatchedEnd {
  int exit_code = 0;                            // the game's, if the front started it
  std::chrono::steady_clock::duration lived{};  // how long its first process ran; on Windows
  ForeseenFigures figures;
  std::vector<SeenLoad> loads;
  Learned learned;
  bool has_read = false;    // true if anything of the watched folders was read
  bool has_failed = false;  // true if watching failed; the rest but the exit code is then empty
};

// Ends what `foresight` watches.
inline WatchedEnd end_of(Foresight& foresight) {
  WatchedEnd end = {.figures = foresight.figures(), .loads = {}, .learned = foresight.finish()};
  end.loads = foresight.loads();
  return end;
}

}  // namespace seekless

// Watches a game on Linux if its folder can't be served: all that the system has cached since the
// game began counts as read by it. Prefetches what the game is about to read. Doesn't touch the
// game or its files.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "packer/serve/internal/cache_look.h"
#include "packer/serve/internal/drive_activity.h"
#include "packer/serve/watched_end.h"

namespace seekless {

class CacheWatch {
 public:
  // `folders` are absolute paths, none within another; the game's folder is one of them. Notes what
  // is in memory before the game starts.
  CacheWatch(const std::string& game, const std::vector<std::string>& folders);
  ~CacheWatch();
  CacheWatch(const CacheWatch&) = delete;
  CacheWatch& operator=(const CacheWatch&) = delete;

  // Begins to fetch what each start reads. If several starts are known, returns once that is done,
  // or after half of the time for which the first start waited for the disk; the game may start
  // then. Otherwise returns at once, and fetches once the game has begun to read the same.
  void begin(Learned known, ForeseeOptions options);
  // Fetches and watches until the descriptor `end` can be read.
  WatchedEnd watch(int end);
  // Returns true if the system doesn't tell this user, for most files, which pages are in memory.
  bool is_refused() const { return look_.is_refused(); }

 private:
  using Clock = Foresight::Clock;
  class Finds;
  void look_often(Finds& finds);
  void look(Finds& finds, bool lists_all);

  CacheLook look_;
  OthersReads others_;
  bool knows_before_ = true;  // false if looking before the game took too long
  Learned before_;            // what begin() was told, if that look took too long
  std::vector<std::string> files_;
  std::unique_ptr<Foresight> foresight_;
  bool is_active_ = false;  // true from a read of others until they pause
  double waited_s_ = 0;     // time of others' reads since the last look
  Clock::time_point began_;
  Clock::time_point last_read_;
  Clock::time_point next_look_;
};

}  // namespace seekless

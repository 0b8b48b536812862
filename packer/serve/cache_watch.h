// Watches a game on Linux where its folder can't be served: what the system has cached since the
// game began was read by it. What it is about to read is fetched beside it. The game and its files
// aren't touched.
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
  // `folders` are absolute paths, none in another; the game's folder is one of them. Looks at what
  // is in memory before the game starts.
  CacheWatch(const std::string& game, const std::vector<std::string>& folders);
  ~CacheWatch();
  CacheWatch(const CacheWatch&) = delete;
  CacheWatch& operator=(const CacheWatch&) = delete;

  // Begins to fetch what each start reads. If several starts have read it, this returns once it is
  // fetched, or after half of the time that the first start waited for the disk: the game may start
  // then. Otherwise it is fetched once the game has begun with it.
  void begin(Learned known, ForeseeOptions options);
  // Fetches and watches until the descriptor `end` can be read.
  WatchedEnd watch(int end);
  // Returns true if, for most files, the system doesn't tell this user which pages are in memory.
  bool is_refused() const { return look_.is_refused(); }

 private:
  using Clock = Foresight::Clock;
  class Finds;
  void look_often(Finds& finds);
  void look(Finds& finds, bool lists_all);

  CacheLook look_;
  OthersReads others_;
  bool knows_before_ = true;  // false if looking before the game took too long
  Learned before_;            // what was known then
  std::vector<std::string> files_;
  std::unique_ptr<Foresight> foresight_;
  bool is_active_ = false;  // true if somebody has read since the last time that all was quiet
  double waited_s_ = 0;     // time of others' reads since the last look
  Clock::time_point began_;
  Clock::time_point last_read_;
  Clock::time_point next_look_;
};

}  // namespace seekless

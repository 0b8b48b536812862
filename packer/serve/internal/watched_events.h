// Tells Foresight what a recorder sees of a game on Windows: which names it opens, and what it
// reads in the watched folders. Events elsewhere are ignored.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/serve/foresight.h"
#include "packer/trace/event.h"

namespace seekless {

class WatchedEvents final : public TraceSink {
 public:
  using Clock = Foresight::Clock;

  // `spelled` are absolute paths of the game's folder, under each of its names, and `beside` those
  // of other folders. Case doesn't matter in them. The game may spell a file in many ways; it has
  // one name in what is learned: the one that `known` has, or the first. `began` is the time of the
  // recording's beginning.
  WatchedEvents(Foresight& foresight, std::vector<std::string> spelled,
                std::vector<std::string> beside, const Learned& known, Clock::time_point began);

  Result<void> begin(const TraceHeader&) override { return {}; }
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark&) override { return {}; }

  // Takes a read of the file with this number that bypasses the system's cache. It teaches nothing:
  // in the cache, its pages would be of no use.
  void reads_past_cache(uint32_t file);
  bool has_read() const { return has_read_; }

 private:
  struct Watched {
    std::string path;  // relative to the game's folder; empty if it lies in no watched folder
    bool was_looked_up = false;
  };
  std::string relative(std::string_view path) const;
  const std::string& in_one_spelling(std::string_view path);
  void look_up(Watched& file, Clock::time_point at);
  void read(const Watched& file, const Event& event, Clock::time_point at);

  Foresight& foresight_;
  std::vector<std::string> spelled_;
  std::vector<std::string> beside_;
  Clock::time_point began_;
  std::vector<Watched> files_;                              // indexed by the recorder's numbers
  std::unordered_map<std::string, std::string> spellings_;  // by one_windows_spelling()
  bool has_read_ = false;
};

}  // namespace seekless

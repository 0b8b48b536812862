// Streams a piece of music in the background, one chunk ahead of playback. Its requests have low
// priority, so that they don't delay requests that the player waits for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <seekless.hpp>

namespace game {

class Music {
 public:
  static skl::Result<Music> start(skl::Context& context, const char* path);
  // Call it once in each frame: plays the chunks that have arrived, and requests the next one. The
  // file is repeated for ever.
  skl::Result<void> update();

  uint64_t played_bytes() const { return played_bytes_; }
  uint64_t late_chunks() const { return late_chunks_; }

 private:
  Music(skl::Queue queue, skl::Found file);
  skl::Result<void> ask(std::vector<std::byte>& chunk);

  // Declared before the queue, so that they outlive it: outstanding requests read into them until
  // the queue is gone.
  std::array<std::vector<std::byte>, 2> chunks_;
  skl::Queue queue_;
  skl::Found file_;
  uint64_t next_bytes_ = 0;
  uint64_t played_bytes_ = 0;
  uint64_t late_chunks_ = 0;
};

}  // namespace game

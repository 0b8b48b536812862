// Finds chains: small reads of one thread, each of which begins where its previous read in that
// file ended. Reads of other files in between don't matter, because a program with a buffer for
// each file would have made one read of the chain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "packer/trace/event.h"

namespace seekless {

// Holds the chains of one file that may still continue. Only the chains of the latest few threads
// are kept, so that memory doesn't grow with the number of threads.
class OpenChains {
 public:
  static constexpr size_t kMost = 4;

  struct Open {
    uint64_t offset_bytes = 0;
    uint64_t bytes = 0;
    uint64_t reads = 0;  // 0: unused
    uint32_t process = 0;
    uint32_t thread = 0;

    uint64_t end_bytes() const { return offset_bytes + bytes; }
  };

  // Calls `ended` with each chain of at least two reads that can't continue.
  template <typename Ended>
  void add(const Event& read, bool is_small, Ended&& ended) {
    size_t at = 0;
    while (at + 1 < kMost && !is_of(chains_[at], read)) ++at;
    // The chain found, or the least recently used one.
    Open chain = chains_[at];
    const bool goes_on = is_small && is_of(chain, read) && chain.end_bytes() == read.offset_bytes;
    if (!goes_on) {
      if (chain.reads > 1) ended(chain);
      chain = {.offset_bytes = read.offset_bytes, .process = read.process, .thread = read.thread};
    }
    if (is_small) {
      chain.bytes += read.length_bytes;
      ++chain.reads;
    }
    for (; at > 0; --at) chains_[at] = chains_[at - 1];
    chains_.front() = chain;
  }

  template <typename Ended>
  void finish(Ended&& ended) {
    for (Open& chain : chains_) {
      if (chain.reads > 1) ended(chain);
      chain = {};
    }
  }

 private:
  static bool is_of(const Open& chain, const Event& read) {
    return chain.reads > 0 && chain.process == read.process && chain.thread == read.thread;
  }

  std::array<Open, kMost> chains_ = {};
};

}  // namespace seekless

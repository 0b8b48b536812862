// Decides which chunk of a plan is fetched next: it follows the plan's order, but prefers chunks
// for which a read has waited too long. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "packer/foresee/fetch_plan.h"

namespace seekless {

class FetchOrder {
 public:
  // `chunks` must stay where they are.
  explicit FetchOrder(std::span<const FetchChunk> chunks)
      : chunks_(chunks), is_done_(chunks.size()) {}

  // Returns the chunk to fetch next; nothing once all are done. The answer stays the same until a
  // chunk is done or hurried.
  std::optional<uint32_t> next() const;
  // Returns the chunks to fetch next, at most `most` and some MB. The answer stays the same until
  // one is hurried.
  std::vector<uint32_t> next_few(size_t most) const;
  // Makes the chunk the next one, unless it comes soon anyway. Its direct neighbours in the file
  // come with it, if they are few, because fetching them later would need another expensive seek.
  void hurry(uint32_t chunk);
  // Returns true if a read waits for the next chunk.
  bool is_hurried() const { return !hurried_.empty(); }
  // Returns true if the chunk comes right after the last hurried one. An archive's directory has
  // several chunks, for example.
  bool goes_on(uint32_t chunk) const;

  void done(uint32_t chunk);
  bool is_done(uint32_t chunk) const { return is_done_[chunk]; }

 private:
  bool comes_soon(uint32_t chunk) const;
  void take_along(uint32_t chunk);

  std::span<const FetchChunk> chunks_;
  std::vector<bool> is_done_;
  uint32_t in_order_ = 0;  // all chunks before it are done
  // Hurried chunks that aren't done yet.
  std::deque<uint32_t> hurried_;
  std::deque<uint32_t> along_;
  std::optional<uint32_t> last_hurried_;  // the last hurried chunk that is done
};

}  // namespace seekless

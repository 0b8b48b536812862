// Which chunk of a plan is fetched next: in its order, but first what somebody has waited for too
// long. Pure.
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
  // `chunks` stay where they are.
  explicit FetchOrder(std::span<const FetchChunk> chunks)
      : chunks_(chunks), is_done_(chunks.size()) {}

  // To be fetched next; nothing once all are done. The same until something is done or hurried.
  std::optional<uint32_t> next() const;
  // To be fetched after `chunk`, if nothing is hurried until then.
  std::optional<uint32_t> after(uint32_t chunk) const;
  // It comes next, unless it comes soon anyway. With it come the others of its file that lie side
  // by side with it, if they are few: the way there is dear, and would be gone once more for them.
  void hurry(uint32_t chunk);
  // Whether somebody waits for what comes next.
  bool is_hurried() const { return !hurried_.empty(); }
  // Whether it is right behind the last one that was hurried, as directories of archives take
  // several.
  bool goes_on(uint32_t chunk) const;

  void done(uint32_t chunk);
  bool is_done(uint32_t chunk) const { return is_done_[chunk]; }

 private:
  bool comes_soon(uint32_t chunk) const;
  void take_along(uint32_t chunk);

  std::span<const FetchChunk> chunks_;
  std::vector<bool> is_done_;
  uint32_t in_order_ = 0;  // those before it are done
  // Without those that are done.
  std::deque<uint32_t> hurried_;
  std::deque<uint32_t> along_;
  std::optional<uint32_t> last_hurried_;  // that is done
};

}  // namespace seekless

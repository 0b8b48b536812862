// Decides which range of a device is read next. It is pure, without a clock, threads or files, so
// it is easy to test. Only add() allocates memory. The scheduler passes in the wishes and the time,
// and reads what the elevator picks.
//
// In a pass, the head moves once over all waiting requests, sorted by place. Requests that arrive
// early in a pass join it if they lie ahead. Later ones wait for the next pass, so every pass ends
// and no request waits forever. An urgent request makes the head leave the pass and return, which
// costs seeks, and the number of such seeks per second is limited. Beyond that limit, urgent
// requests without a deadline are read in the pass. Those with a deadline are gathered until the
// first of them can't wait any longer; then all of them are read in the order of their places
// before the head returns. On any medium, the pass gets a quarter of the reading while urgent
// requests keep coming.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "runtime/memory.h"
#include "runtime/node_pool.h"

namespace seekless::runtime {

struct ElevatorOptions {
  // Maximum size of a pick; a longer request takes several picks.
  uint64_t most_read_bytes = uint64_t{4} << 20;
  // A gap of up to this size between two requests is read along, which is faster than a seek.
  uint64_t gap_bytes = uint64_t{1} << 20;
  size_t most_parts = 256;            // maximum number of parts in a pick
  bool seeks_cost = true;             // false: urgent requests need no allowance of seeks
  uint32_t bypasses_per_second = 50;  // seeks that urgent requests may cost, on average
  uint64_t pass_us = 500'000;         // new requests may join a pass for this long
  uint64_t notice_us = 50'000;        // a request becomes urgent this long before its deadline
  uint64_t seek_us = 12'000;          // time that each gathered request takes
  uint64_t stream_us = 1'000'000;     // streams that waited this long join a pass for one pick
  uint64_t prefetch_us = 10'000'000;  // prefetches that waited this long join a pass for one pick
  // Urgent requests may read three times as much as the pass. Before the pass gets its first turn,
  // they may make 16 of the longest reads: 16 MiB, which takes an SSD on SATA some 30 ms. Each read
  // counts as gap_bytes longer than it is, because starting a read takes time.
  uint64_t urgent_share = 3;
  uint64_t urgent_reads = 16;
};

// Priority groups. Within a group, the place decides the order.
enum class Urgency : uint8_t { urgent, normal, stream, prefetch };
Urgency urgency_of(int32_t priority);

// A range to read.
struct Wish {
  uint64_t id = 0;            // unique
  uint64_t file = 0;          // number of the file; a pick stays within one file
  uint64_t place_bytes = 0;   // place on the device
  uint64_t length_bytes = 0;  // at least 1
  int32_t priority = 0;
  uint64_t asked_us = 0;
  uint64_t deadline_us = 0;  // on the same clock as asked_us; 0: none
  bool is_whole = false;     // read alone and in one piece, whatever its length
  bool is_placed = false;    // place_bytes is a real place, not just a number to sort by
};

struct PickedPart {
  uint64_t id = 0;
  uint64_t place_bytes = 0;
  uint64_t length_bytes = 0;
};

// One read. Its parts rise by place and don't overlap. The bytes in the gaps between them aren't
// used.
struct Pick {
  uint64_t file = 0;
  uint64_t place_bytes = 0;
  uint64_t length_bytes = 0;
  uint64_t gap_bytes = 0;
  bool is_bypass = false;  // true if the head left the pass for this pick
  bool is_seek = false;    // doesn't begin where the previous pick ended
  // The distance from the end of the previous pick, in either direction; 0 if unknown.
  uint64_t jump_bytes = 0;
  Vector<PickedPart> parts;  // allocates nothing if it has room for most_parts
};

class Elevator {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;
  explicit Elevator(const ElevatorOptions& options, const Memory& memory = {});

  // Throws std::bad_alloc; then nothing has changed.
  void add(const Wish& wish);
  // Removes the unpicked part of a wish. Returns false if there is none.
  bool remove(uint64_t id);
  // Changes the unpicked part of a wish. Returns false if there is none. Throws std::bad_alloc;
  // then nothing has changed.
  bool reschedule(uint64_t id, int32_t priority, uint64_t deadline_us, uint64_t now_us);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

  // Picks what to read next. It picks something as long as there are wishes, and it picks every
  // byte of every wish once. `now_us` must not go backwards. A pick after a jump of `far_bytes` or
  // more is limited to `most_after_jump_bytes`; the rest follows.
  struct Cut {
    uint64_t far_bytes = kNever;
    uint64_t most_after_jump_bytes = kNever;
  };
  bool next(uint64_t now_us, Pick& pick) { return next(now_us, pick, Cut{}); }
  bool next(uint64_t now_us, Pick& pick, const Cut& cut);
  // Switches to the options of another medium, and keeps the wishes.
  void set_options(const ElevatorOptions& options);
  // Returns the range that the pass would read next without a seek, for a hint to the system.
  std::optional<PickedPart> following() const;
  // Returns how many bytes wait right behind the pass's position, without a gap. Stops counting at
  // `enough_bytes`, and after 64 wishes.
  uint64_t adjoining_bytes(uint64_t enough_bytes) const;

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // place or time, and the wish's id
  using Keys = std::set<Key, std::less<>, NodeAllocator<Key>>;

  struct Entry {
    Wish wish;  // the unpicked rest
    Urgency urgency = Urgency::normal;
    Keys* home = nullptr;      // the set by place that holds the wish
    uint64_t due_us = kNever;  // time at which the wish becomes urgent
    uint64_t since_us = 0;     // for streams and prefetches: when it was last served
  };

  // Streams or prefetches, which wait until the others are done.
  struct Background {
    explicit Background(NodePool& nodes) : by_place(nodes), by_age(nodes) {}
    Keys by_place;
    Keys by_age;
  };

  Keys& pass() { return ordinary_[pass_number_]; }
  const Keys& pass() const { return ordinary_[pass_number_]; }
  Keys& next_pass() { return ordinary_[1 - pass_number_]; }
  bool is_in_reach(const Entry& entry) const;
  bool joins_pass(const Entry& entry) const;
  Keys& home_of(const Entry& entry);
  uint64_t due_of(const Wish& wish, Urgency urgency) const;
  Keys* ages_of(Urgency urgency);
  void begin_pass();
  void promote(Background& waiting, uint64_t patience_us);
  void refill(uint64_t now_us);
  bool others_wait() const;
  void count_turn(const Pick& pick, bool is_due, bool others_waited);
  // The currently urgent wishes, at most the first kMostGathered.
  struct Gathered {
    size_t count = 0;  // number of wishes with a deadline
    uint64_t first_deadline_us = kNever;
    Entry* nearest = nullptr;  // the nearest entry ahead of the head, or else the first by place
    Entry* nearest_with_deadline = nullptr;  // the nearest entry with a deadline
  };
  Gathered gather_due();
  Entry* due();
  Entry* due_on_a_disk(Entry& first);
  Entry* ordinary();
  Entry* nearest_ahead(const Keys& keys);
  const Entry* neighbour(uint64_t file, uint64_t from_bytes, uint64_t to_bytes) const;
  void begin_pick(const Wish& wish, Pick& pick) const;
  void take(Entry& entry, uint64_t length_bytes, Pick& pick);
  void forget(const Entry& entry);

  ElevatorOptions options_;
  NodePool nodes_;
  std::unordered_map<uint64_t, Entry, std::hash<uint64_t>, std::equal_to<>,
                     NodeAllocator<std::pair<const uint64_t, Entry>>>
      entries_{nodes_};
  // Normal and urgent wishes, sorted by place: one set for this pass and one for the next.
  std::array<Keys, 2> ordinary_ = {Keys(nodes_), Keys(nodes_)};
  size_t pass_number_ = 0;
  Background stream_{nodes_};
  Background prefetch_{nodes_};
  Keys due_{nodes_};  // all wishes that become urgent, sorted by that time

  uint64_t now_us_ = 0;
  uint64_t pass_began_us_ = 0;
  // The pass's position, which is its latest pick.
  uint64_t scan_file_ = kNever;
  uint64_t scan_bytes_ = 0;
  uint64_t scan_end_bytes_ = 0;
  // The head's position, which is the latest pick.
  uint64_t head_file_ = kNever;
  uint64_t head_begin_bytes_ = 0;
  uint64_t head_bytes_ = 0;
  bool is_head_placed_ = false;
  bool is_away_ = false;  // the head has left the pass
  // Both are in millionths of a seek.
  uint64_t most_allowance_ = 0;
  uint64_t allowance_ = 0;
  uint64_t ahead_bytes_ = 0;  // bytes read for urgent wishes beyond their share
};

}  // namespace seekless::runtime
